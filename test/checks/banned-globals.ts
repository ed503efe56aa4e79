import { freeNames, type FreeName } from './free-names.ts';
import type { SyntaxNode } from './syntax.ts';

/** Globals that read a clock, throw dice, reach the network, or exist in only one kind of host. */
const BANNED: ReadonlySet<string> = new Set(
  [
    ['setTimeout', 'setInterval', 'setImmediate', 'performance', 'requestAnimationFrame'],
    ['crypto', 'fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest', 'BroadcastChannel'],
    ['process', 'Buffer', 'require', 'global', 'globalThis', '__dirname', '__filename'],
    ['window', 'self', 'document', 'navigator', 'location', 'localStorage', 'sessionStorage', 'indexedDB'],
  ].flat(),
);

/** Globals that are welcome but for one member. As a bare value they could be asked for it later, so that is banned too. */
const BANNED_MEMBER: Readonly<Record<string, string>> = { Date: 'now', Math: 'random', AbortSignal: 'timeout' };

/** Uses of the clock, of dice, of the network or of one kind of host, as words for a message. */
export function bannedGlobals(program: SyntaxNode): readonly { readonly what: string; readonly node: SyntaxNode }[] {
  return freeNames(program).flatMap((use) => {
    const what = banned(use);
    return what === undefined ? [] : [{ what, node: use.node }];
  });
}

function banned({ name, node, parent }: FreeName): string | undefined {
  if (BANNED.has(name)) return name;
  const member = Object.hasOwn(BANNED_MEMBER, name) ? BANNED_MEMBER[name] : undefined;
  if (member === undefined) return undefined;
  if (parent.type === 'MemberExpression' && parent['object'] === node && parent['computed'] === false) {
    const property = nameOf(parent['property']);
    return property === member ? `${name}.${member}` : undefined;
  }
  if (parent.type === 'BinaryExpression' && parent['operator'] === 'instanceof') return undefined;
  if (name === 'Date' && parent.type === 'NewExpression' && hasArguments(parent)) return undefined;
  return `${name} as a value`;
}

function hasArguments(node: SyntaxNode): boolean {
  return Array.isArray(node['arguments']) && node['arguments'].length > 0;
}

function nameOf(node: unknown): unknown {
  return typeof node === 'object' && node !== null && 'name' in node ? node.name : undefined;
}
