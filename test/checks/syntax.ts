import { parseSync } from 'oxc-parser';

/** A node of the ESTree as the parser gives it: fields are whatever its type has. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

/** The syntax tree of one file. Throws when the parser finds an error: half a tree would look like a clean file. */
export function parse(path: string, source: string): SyntaxNode {
  const { program, errors } = parseSync(path, source, { preserveParens: false });
  const [error] = errors;
  if (error !== undefined) throw new Error(`${path} does not parse: ${error.message}`);
  // reason: every node of the parser's tree has `type` and `start`
  return program as unknown as SyntaxNode;
}

/** The nodes directly below this one, in source order. */
export function childrenOf(node: SyntaxNode): readonly SyntaxNode[] {
  return Object.values(node).flatMap(nodesIn);
}

/** The nodes in one field of a node: none, one, or a list. */
export function nodesIn(field: unknown): readonly SyntaxNode[] {
  return Array.isArray(field) ? field.filter(isNode) : isNode(field) ? [field] : [];
}

/** Every node of the tree, parents before their children. */
export function* allNodes(node: SyntaxNode): Generator<SyntaxNode> {
  yield node;
  for (const child of childrenOf(node)) yield* allNodes(child);
}

export function lineOf(source: string, node: SyntaxNode): number {
  return source.slice(0, node.start).split('\n').length;
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
