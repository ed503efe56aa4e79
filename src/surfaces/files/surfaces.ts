import type { Described, Reissued, Surface, ToolDefinition } from '../../authority/ports.ts';
import { canonicalText, type Json, type JsonObject } from '../../base/canonical-json.ts';
import { textOf } from '../../base/bytes.ts';
import type { ActionContent, Precondition } from '../../model/content.ts';
import type { CardTemplate } from '../../model/card.ts';
import { parseDigest } from '../../model/ids.ts';
import type { OverlayWriter } from '../../overlay/types.ts';
import { applyEffect } from './apply.ts';
import { BRANCH_RESOURCE, branchName } from './branch.ts';
import { FILE_CARDS } from './cards.ts';
import { coalesceWrites } from './coalesce.ts';
import type { FilesContext } from './context.ts';
import { describeDelete } from './describe-delete.ts';
import { describeMkdir } from './describe-mkdir.ts';
import { describeMove } from './describe-move.ts';
import { describeEdit, describeWrite } from './describe-write.ts';
import type { WritableWorld } from './describe.ts';
import { effectOf } from '../../model/file-effect.ts';
import { violated } from './fingerprint.ts';
import type { Site } from './folder.ts';
import { writablePath } from './guard.ts';
import { probeEffect } from './probe.ts';
import { reissueEffect } from './reissue.ts';
import { canRevertEffect, revertEffect } from './revert.ts';
import { simulate, type WriteAnswer } from './simulate.ts';
import type { TextEdit } from './text-edit.ts';
import { createDirectoryTool, deleteFileTool, editFileTool, moveFileTool, writeFileTool } from './tools/write-tools.ts';
import { NOTHING_PENDING } from './world.ts';

/** The five kinds of change, each with its tool. */
export function fileSurfaces(context: FilesContext): readonly Surface[] {
  const path = (text: string): string => writablePath(context.ground, text, 'path');
  return [
    surface(context, {
      kind: { tag: 'file.write', label: 'Write a file' },
      tool: writeFileTool,
      card: FILE_CARDS.write,
      answer: 'wrote',
      describe: (world, args) => describeWrite(world, path(args.path), args.content),
    }),
    surface(context, {
      kind: { tag: 'file.edit', label: 'Edit a file' },
      tool: editFileTool,
      card: FILE_CARDS.edit,
      answer: 'diff',
      describe: (world, args) => describeEdit(world, path(args.path), args.edits, { dryRun: args.dryRun }),
      editsOf: (args) => args.edits,
    }),
    surface(context, {
      kind: { tag: 'file.mkdir', label: 'Create a folder' },
      tool: createDirectoryTool,
      card: FILE_CARDS.mkdir,
      describe: (world, args) => describeMkdir(world, path(args.path)),
    }),
    surface(context, {
      kind: { tag: 'file.move', label: 'Move or rename' },
      tool: moveFileTool,
      card: FILE_CARDS.move,
      describe: (world, args) =>
        describeMove(
          world,
          writablePath(context.ground, args.source, 'source'),
          writablePath(context.ground, args.destination, 'destination'),
        ),
    }),
    surface(context, {
      kind: { tag: 'file.delete', label: 'Delete' },
      tool: deleteFileTool,
      card: FILE_CARDS.delete,
      describe: (world, args) => describeDelete(world, path(args.path), { recursive: args.recursive }),
    }),
  ];
}

interface Parts<Args> {
  readonly kind: Surface['kind'];
  readonly tool: ToolDefinition<Args>;
  readonly card: CardTemplate;
  readonly answer?: WriteAnswer;
  readonly describe: (world: WritableWorld, args: Args) => Described;
  readonly editsOf?: (args: Args) => readonly TextEdit[];
}

function surface<Args>(context: FilesContext, parts: Parts<Args>): Surface {
  const worldOf = (view: OverlayWriter): WritableWorld => ({ ground: context.ground, denied: context.denied(), view });
  const site = (): Site => ({ ...context.site, denied: context.denied() });
  const whole: Surface<Args> = {
    kind: parts.kind,
    tool: parts.tool,
    card: parts.card,
    describe: async (args, overlay) => onBranch(context, parts.describe(worldOf(overlay), args)),
    simulate: async (effect, overlay) => simulate(effectOf(effect), overlay, parts.answer ?? 'wrote'),
    look: async ({ content }) => {
      const world = { ground: context.ground, denied: context.denied(), view: NOTHING_PENDING };
      const why = content.preconditions
        .map((each) => (each.resource === BRANCH_RESOURCE ? leftBranch(context, each) : violated(world, each)))
        .find((each) => each !== undefined);
      return why === undefined ? { type: 'ready' } : { type: 'moved', why };
    },
    apply: async (given, signal) => applyEffect(site(), given, signal),
    coalesce: coalesceWrites,
    probe: async (given) => probeEffect(site(), given),
    reissue: async (content, overlay, mode): Promise<Reissued> => {
      const edits = parts.editsOf?.(parts.tool.parse(withBlobs(content.arguments, overlay)));
      const answer = reissueEffect(worldOf(overlay), { content, mode, edits });
      return answer.type === 'conflict' ? answer : reissuedHere(context, content, answer);
    },
    revert: async (given, signal) => revertEffect(site(), given, signal),
    canRevert: async (given) => canRevertEffect(site(), given),
  };
  // reason: the authority gives a surface only arguments that this surface's own `parse` returned
  return whole as unknown as Surface;
}

/** On a git workspace an action is of the branch it was described on: what is said of it there counts there (GM-5). */
function onBranch({ branch }: FilesContext, described: Described): Described {
  const head = branch();
  if (head === undefined) return described;
  return { ...described, preconditions: [...described.preconditions, { resource: BRANCH_RESOURCE, expect: head }] };
}

/** On another branch every action is asked again, also where nothing else of it is different. */
function reissuedHere(
  context: FilesContext,
  content: ActionContent,
  answer: Extract<Reissued, { type: 'reissued' }>,
): Reissued {
  const described = onBranch(context, answer.described);
  const recorded = content.preconditions.find(({ resource }) => resource === BRANCH_RESOURCE);
  const left = recorded && leftBranch(context, recorded);
  if (left === undefined) return { ...answer, described };
  const same = canonicalText(described.effect) === canonicalText(content.effect);
  return { type: 'reissued', described, why: same ? left : `${left} ${answer.why}` };
}

function leftBranch({ branch }: FilesContext, { expect }: Precondition): string | undefined {
  const head = branch();
  if (head === expect) return undefined;
  const now = head === undefined ? 'that branch is no longer checked out' : `the folder is on ${branchName(head)} now`;
  return `It was made on ${branchName(expect)}, and ${now}.`;
}

/** The agent's arguments with the long strings that were stored beside them. */
function withBlobs(value: Json, overlay: OverlayWriter): Json {
  if (Array.isArray(value)) return value.map((item: Json) => withBlobs(item, overlay));
  if (typeof value !== 'object' || value === null) return value;
  // reason: Array.isArray does not narrow readonly arrays away
  const object = value as JsonObject;
  const digest = parseDigest(object['$blob']);
  if (digest.ok) return textOf(overlay.blob(digest.value)) ?? '';
  return Object.fromEntries(Object.entries(object).map(([key, member]) => [key, withBlobs(member, overlay)]));
}
