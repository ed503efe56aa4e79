import fs from 'node:fs';
import { join } from 'node:path';
import type {
  ApplyContext,
  Described,
  Outcome,
  Probed,
  Reissued,
  RevertOutcome,
  Surface,
} from '../../src/authority/ports.ts';
import { assert } from '../../src/base/assert.ts';
import { canonicalBytes, parseCanonical, type JsonObject } from '../../src/base/canonical-json.ts';
import { withBlobRefs } from '../../src/authority/blob-refs.ts';
import type { Applied, Intent } from '../../src/model/action.ts';
import type { ActionContent } from '../../src/model/content.ts';
import { actionId, workspaceId, type ActionId, type Digest } from '../../src/model/ids.ts';
import type { ToolResult } from '../../src/model/tool-result.ts';
import { Overlay } from '../../src/overlay/overlay.ts';
import { StagedWriter, TrackedView } from '../../src/overlay/tracked.ts';
import type { Disk } from '../../src/surfaces/files/disk.ts';
import { hashOf } from '../../src/surfaces/files/hash.ts';
import { filesPack } from '../../src/surfaces/files/index.ts';
import { digestOf } from './action-content.ts';
import { tempDir } from './temp-dir.ts';

/** One pending action, as much of it as the files surface is asked about. */
export interface LabAction {
  readonly id: ActionId;
  readonly place: number;
  readonly surface: Surface;
  readonly content: ActionContent;
  readonly described: Described;
  readonly needs: ReadonlySet<ActionId>;
  readonly says: string;
}

/** A workspace on the real disk with its files surface, an overlay, and a drain that a test turns by hand. */
export class FilesLab {
  readonly root: string;
  readonly state: string;
  readonly overlay = new Overlay();
  readonly #blobs = new Map<Digest, Uint8Array>();
  readonly #pack: ReturnType<typeof filesPack>;
  #count = 0;

  constructor(root: string, state: string, options: { readonly disk?: Disk; readonly viaDescriptors?: boolean } = {}) {
    this.root = root;
    this.state = state;
    this.#pack = filesPack({ root, denied: [state], ...options });
  }

  get tools(): readonly string[] {
    return [...this.#pack.surfaces, ...this.#pack.reads].map(({ tool }) => tool.name);
  }

  /** Proposes: the action is pending in the overlay, unless it changes nothing. */
  async call(tool: string, args: JsonObject): Promise<LabAction> {
    const surface = this.#pack.surfaces.find((each) => each.tool.name === tool);
    assert(surface !== undefined, `${tool} is a tool that changes files`);
    const place = ++this.#count;
    const id = actionId(new Uint8Array(16).fill(place % 256).fill(place >> 8, 0, 1));
    const writer = this.writer(id, place);
    const described = await surface.describe(surface.tool.parse(args), writer);
    const content = this.#content(surface, args, described, writer);
    const result = await surface.simulate?.(content.effect, writer);
    for (const { hash, bytes } of writer.blobs) this.#blobs.set(hash, bytes);
    if (!described.unchanged) this.overlay.add(id, place, writer.writes);
    return { id, place, surface, content, described, needs: writer.needs, says: textOf(result) };
  }

  /** Reads as the agent does; `ground` reads as if nothing were pending. */
  async read(tool: string, args: JsonObject, from: 'overlay' | 'ground' = 'overlay'): Promise<ToolResult> {
    const read = this.#pack.reads.find((each) => each.tool.name === tool);
    assert(read !== undefined, `${tool} is a tool that reads`);
    const view = new TrackedView(from === 'overlay' ? this.overlay : new Overlay(), this.blob);
    return read.read(read.tool.parse(args), view);
  }

  async text(tool: string, args: JsonObject, from: 'overlay' | 'ground' = 'overlay'): Promise<string> {
    return textOf(await this.read(tool, args, from));
  }

  /** Looks and applies; what was applied leaves the overlay. */
  async apply(action: LabAction, attempt = 1): Promise<Outcome> {
    const look = await action.surface.look?.(this.context(action));
    if (look?.type === 'moved') return { type: 'failed', why: look.why };
    const outcome = await action.surface.apply(this.context(action, attempt), new AbortController().signal);
    if (outcome.type === 'applied') this.overlay.remove(action.id);
    return outcome;
  }

  /** Applies without looking first. */
  async applyBlindly(action: LabAction, attempt = 1): Promise<Outcome> {
    return action.surface.apply(this.context(action, attempt), new AbortController().signal);
  }

  async probe(action: LabAction, attempt = 1): Promise<Probed> {
    assert(action.surface.probe !== undefined, 'files can be probed');
    return action.surface.probe(this.context(action, attempt));
  }

  /** `evidence`: what the apply answered with. */
  async revert(action: LabAction, evidence: JsonObject = {}): Promise<RevertOutcome> {
    assert(action.surface.revert !== undefined, 'files can be reverted');
    const applied = this.#applied(evidence);
    return action.surface.revert({ ...this.context(action), applied }, new AbortController().signal);
  }

  async canRevert(action: LabAction, evidence: JsonObject = {}): Promise<{ feasible: boolean; why: string }> {
    assert(action.surface.canRevert !== undefined, 'files can be reverted');
    return action.surface.canRevert({ ...this.context(action), applied: this.#applied(evidence) });
  }

  /** The action described anew; what was reissued takes its place in the overlay. */
  async reissue(
    action: LabAction,
    mode: 'merge' | 'theirs' = 'merge',
  ): Promise<{ answer: Reissued; action: LabAction }> {
    assert(action.surface.reissue !== undefined, 'files can be reissued');
    const writer = this.writer(action.id, action.place);
    const answer = await action.surface.reissue(action.content, writer, mode);
    if (answer.type === 'conflict') return { answer, action };
    const { described } = answer;
    const content = { ...action.content, ...contentParts(described) };
    const says = textOf(await action.surface.simulate?.(described.effect, writer));
    for (const { hash, bytes } of writer.blobs) this.#blobs.set(hash, bytes);
    this.overlay.add(action.id, action.place, writer.writes);
    return { answer, action: { ...action, content, described, needs: writer.needs, says } };
  }

  writer(by: ActionId, place: number): StagedWriter {
    return new StagedWriter({ overlay: this.overlay, by, readBlob: this.blob, hash: hashOf, place });
  }

  context(action: LabAction, attempt = 1): ApplyContext {
    const intent: Intent = { attempt, idempotencyKey: action.id, atMs: 0, deadlineMs: 0 };
    return { content: action.content, intent, blob: this.blob };
  }

  readonly blob = (hash: Digest): Uint8Array => {
    const bytes = this.#blobs.get(hash);
    assert(bytes !== undefined, `the lab stores ${hash}`);
    return bytes;
  };

  // The world, past the surface.

  at(path: string): string {
    return join(this.root, path);
  }

  put(path: string, bytes: string | Uint8Array, mode = 0o644): void {
    fs.mkdirSync(join(this.at(path), '..'), { recursive: true });
    fs.writeFileSync(this.at(path), bytes);
    fs.chmodSync(this.at(path), mode);
  }

  bytes(path: string): string {
    return fs.readFileSync(this.at(path), 'latin1');
  }

  /** Everything below the workspace folder: kind, permissions, bytes or link target. */
  disk(): Readonly<Record<string, string>> {
    return snapshot(this.root);
  }

  #applied(evidence: JsonObject): Applied {
    return { attempt: 1, atMs: 0, evidence, drift: null, known: 'surface' };
  }

  #content(surface: Surface, args: JsonObject, described: Described, writer: StagedWriter): ActionContent {
    const content: ActionContent = {
      v: 1,
      workspace: workspaceId(new Uint8Array(16)),
      kind: surface.kind,
      tool: surface.tool.name,
      toolDigest: digestOf('a'),
      arguments: withBlobRefs(args, (bytes) => writer.putBlob(bytes)) as JsonObject,
      ...contentParts(described),
    };
    // What is journalled is canonical JSON: an effect that does not survive it is a bug.
    return parseCanonical(canonicalBytes(content)) as unknown as ActionContent;
  }
}

export async function filesLab(
  files: Readonly<Record<string, string>> = {},
  options: { readonly disk?: Disk; readonly viaDescriptors?: boolean; readonly parent?: string } = {},
): Promise<FilesLab> {
  const base = await tempDir('files', options.parent);
  fs.mkdirSync(join(base, 'work'));
  fs.mkdirSync(join(base, 'state'));
  fs.writeFileSync(join(base, 'state', 'journal.db'), 'secret state');
  const lab = new FilesLab(join(base, 'work'), join(base, 'state'), options);
  for (const [path, text] of Object.entries(files)) lab.put(path, text);
  return lab;
}

function textOf(result: ToolResult | undefined): string {
  return (result?.content ?? [])
    .map((block) => (block.type === 'text' ? block.text : JSON.stringify(block)))
    .join('\n~~\n');
}

/** Every path below a folder with its kind, permissions and bytes; links are not followed. */
export function snapshot(root: string, below = ''): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of fs.readdirSync(join(root, below)).toSorted()) {
    const name = join(below, entry);
    const stats = fs.lstatSync(join(root, name));
    const mode = (stats.mode & 0o7777).toString(8);
    if (stats.isDirectory()) Object.assign(found, { [name]: `dir ${mode}` }, snapshot(root, name));
    else if (stats.isSymbolicLink()) found[name] = `link ${fs.readlinkSync(join(root, name))}`;
    else found[name] = `file ${mode} ${fs.readFileSync(join(root, name), 'latin1')}`;
  }
  return found;
}

function contentParts(
  described: Described,
): Omit<ActionContent, 'v' | 'workspace' | 'kind' | 'tool' | 'toolDigest' | 'arguments'> {
  const { effect, preconditions, writes, effectClass, reversible, awaitDecision, lane } = described;
  return { effect, preconditions, writes, effectClass, reversible, awaitDecision, lane };
}
