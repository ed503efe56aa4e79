import { diffFile } from '../model/file-diff.ts';
import type { DiffAnswer, DiffRequest } from './page/worker-differ.ts';

/** The part of a worker's global scope used here: the types at hand are those of a page. */
interface Scope {
  addEventListener(type: 'message', listener: (event: MessageEvent<DiffRequest>) => void): void;
  postMessage(answer: DiffAnswer): void;
}

// reason: this program runs in a worker, whose scope the page's types do not describe
const scope = globalThis as unknown as Scope;

scope.addEventListener('message', ({ data: { change, id } }) => scope.postMessage({ id, diff: diffFile(change) }));
