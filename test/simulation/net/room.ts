import * as Y from 'yjs';
import type { Json } from '../../../src/base/canonical-json.ts';
import type { SimLink } from './link.ts';

/** Updates kept one by one; what is older is kept as one. */
const LOG_MAX = 256;

/** What a relay has of one document, and how it came to that: who means harm shows old states of it. */
export class SimRoom {
  readonly name: string;
  readonly links = new Set<SimLink>();
  doc = new Y.Doc();
  log: Uint8Array[] = [];
  shown: Json | undefined;
  /** What its writer showed before, for who repeats it. */
  shownBefore: Json[] = [];

  constructor(name: string) {
    this.name = name;
  }

  store(update: Uint8Array): void {
    Y.applyUpdate(this.doc, update);
    this.log.push(update);
    if (this.log.length > LOG_MAX) this.log = [Y.encodeStateAsUpdate(this.doc)];
  }

  show(value: Json): void {
    if (this.shown !== undefined) this.shownBefore = [...this.shownBefore.slice(-15), this.shown];
    this.shown = value;
  }

  /** As it was after so many of the updates that are kept. */
  before(count: number): Y.Doc {
    const doc = new Y.Doc();
    for (const update of this.log.slice(0, count)) Y.applyUpdate(doc, update);
    return doc;
  }

  goBack(count: number): void {
    this.doc = this.before(count);
    this.log = this.log.slice(0, count);
  }
}
