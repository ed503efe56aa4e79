import { dirname, join } from 'node:path/posix';
import { isNode, nodesIn, parse, type SyntaxNode } from './syntax.ts';

/**
 * What is loaded when a module is: paths of files, names of packages. What it imports where it runs (`import()`) is not,
 * and neither are types.
 */
export function loadedBy(path: string, read: (path: string) => string): ReadonlySet<string> {
  const loaded = new Set([path]);
  // A set goes on with what is added to it meanwhile.
  for (const module of loaded) {
    if (!/\.tsx?$/.test(module)) continue;
    for (const specifier of nodesIn(parse(module, read(module))['body']).flatMap(valuesFrom)) {
      if (specifier.startsWith('node:')) continue;
      loaded.add(specifier.startsWith('.') ? join(dirname(module), specifier) : specifier);
    }
  }
  return loaded;
}

/** The module that a statement takes values from, if any. */
function valuesFrom(statement: SyntaxNode): readonly string[] {
  const { exportKind, importKind, source } = statement;
  if (!isNode(source) || importKind === 'type' || exportKind === 'type') return [];
  const names = nodesIn(statement['specifiers']);
  const onlyTypes =
    names.length > 0 && names.every((name) => [name['importKind'], name['exportKind']].includes('type'));
  return onlyTypes || typeof source['value'] !== 'string' ? [] : [source['value']];
}
