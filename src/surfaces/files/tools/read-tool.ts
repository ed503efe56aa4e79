import type { ReadTool, ToolDefinition } from '../../../authority/ports.ts';
import type { ToolResult } from '../../../model/tool-result.ts';
import type { OverlayView } from '../../../overlay/types.ts';
import { CountersignError } from '../../../base/errors.ts';
import type { FilesContext } from '../context.ts';
import { readablePath } from '../guard.ts';
import { shown } from '../resource.ts';
import { locate, type Located, type World } from '../world.ts';

export const READS = { readOnlyHint: true, openWorldHint: false } as const;

/** A tool that reads the world of one session: its pending effects over the ground. */
export function readTool<Args>(
  context: FilesContext,
  tool: ToolDefinition<Args>,
  read: (world: World, args: Args) => ToolResult | Promise<ToolResult>,
): ReadTool {
  const whole: ReadTool<Args> = {
    tool,
    read: async (args, view: OverlayView) => read({ ground: context.ground, denied: context.denied(), view }, args),
  };
  // reason: the authority gives a tool only arguments that this tool's own `parse` returned
  return whole as unknown as ReadTool;
}

/**
 * What an agent's path names, links followed.
 *
 * Throws: `not-found`, `bad-input`, `denied`.
 */
export function find(world: World, text: string, field: string): Located {
  const located = locate(world, readablePath(world.ground, text, field), 'follow');
  if (located.entry.type === 'absent')
    throw new CountersignError('not-found', `${field}: ${shown(located.path)} does not exist.`);
  return located;
}

export function findFolder(world: World, text: string, field: string): Located {
  const located = find(world, text, field);
  if (located.entry.type !== 'dir')
    throw new CountersignError('bad-input', `${field}: ${located.path} is a file, not a directory.`);
  return located;
}
