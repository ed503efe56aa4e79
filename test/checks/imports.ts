import { allNodes, isNode, type SyntaxNode } from './syntax.ts';

/** One place where a file names another module. `specifier` is null when it is computed at run time. */
export interface ImportedModule {
  readonly specifier: string | null;
  readonly node: SyntaxNode;
}

/** Every module a file names, however it names it: imports, re-exports, `import()`, `import('x').T`, `require`. */
export function importsOf(program: SyntaxNode): readonly ImportedModule[] {
  return [...allNodes(program)].flatMap((node) => {
    const source = sourceOf(node);
    return source === undefined ? [] : [{ specifier: textOf(source), node }];
  });
}

function sourceOf(node: SyntaxNode): unknown {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
    case 'TSImportType':
      return node['source'];
    case 'ExportNamedDeclaration':
      return node['source'] ?? undefined;
    case 'TSExternalModuleReference':
      return node['expression'];
    case 'CallExpression':
      return isRequire(node['callee']) && Array.isArray(node['arguments']) ? node['arguments'][0] : undefined;
    default:
      return undefined;
  }
}

function isRequire(callee: unknown): boolean {
  return isNode(callee) && callee.type === 'Identifier' && callee['name'] === 'require';
}

function textOf(source: unknown): string | null {
  return isNode(source) && source.type === 'Literal' && typeof source['value'] === 'string' ? source['value'] : null;
}
