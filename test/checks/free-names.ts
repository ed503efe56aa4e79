import { childrenOf, isNode, nodesIn, type SyntaxNode } from './syntax.ts';

/** A use of a name that the file itself declares nowhere around it: a global. */
export interface FreeName {
  readonly name: string;
  readonly node: SyntaxNode;
  readonly parent: SyntaxNode;
}

type Scope = ReadonlySet<string>;

/** Fields that hold a name which is not a use of a variable. */
const NAMING_FIELDS: Readonly<Record<string, string>> = {
  MemberExpression: 'property',
  Property: 'key',
  MethodDefinition: 'key',
  PropertyDefinition: 'key',
  AccessorProperty: 'key',
};
const NO_VALUES = new Set(['ImportDeclaration', 'ExportAllDeclaration', 'MetaProperty', 'BreakStatement']);
/** TypeScript's wrappers around a value; every other `TS…` node is about types only. */
const VALUE_WRAPPERS = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSTypeAssertion',
  'TSInstantiationExpression',
]);

/** Every global the file uses as a value, in source order. */
export function freeNames(program: SyntaxNode): readonly FreeName[] {
  const found: FreeName[] = [];
  visit(program, program, []);
  return found;

  function visit(node: SyntaxNode, parent: SyntaxNode, outer: readonly Scope[]): void {
    if (NO_VALUES.has(node.type) || (node.type.startsWith('TS') && !VALUE_WRAPPERS.has(node.type))) return;
    if (node.type === 'ExportNamedDeclaration' && node['source'] !== null) return;
    if (node.type === 'Identifier') {
      const name = String(node['name']);
      if (!outer.some((scope) => scope.has(name))) found.push({ name, node, parent });
      return;
    }
    const scopes = [...outer, declaredBy(node)];
    for (const child of valueChildren(node)) visit(child, node, scopes);
  }
}

function valueChildren(node: SyntaxNode): readonly SyntaxNode[] {
  const naming = NAMING_FIELDS[node.type];
  if (naming !== undefined && node['computed'] !== true)
    return Object.entries(node).flatMap(([field, value]) => (field === naming ? [] : nodesIn(value)));
  if (node.type === 'ExportSpecifier') return nodesIn(node['local']);
  if (node.type === 'LabeledStatement') return nodesIn(node['body']);
  return childrenOf(node);
}

/** The names a node brings into being for what stands inside it. */
function declaredBy(node: SyntaxNode): Scope {
  switch (node.type) {
    case 'Program':
    case 'BlockStatement':
    case 'StaticBlock':
      return new Set(nodesIn(node['body']).flatMap(namesDeclared));
    case 'SwitchStatement':
      return new Set(nodesIn(node['cases']).flatMap((branch) => nodesIn(branch['consequent']).flatMap(namesDeclared)));
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return new Set([
        'arguments',
        ...nodesIn(node['params']).flatMap(namesBound),
        ...nodesIn(node['id']).flatMap(namesBound),
      ]);
    case 'ClassDeclaration':
    case 'ClassExpression':
      return new Set(nodesIn(node['id']).flatMap(namesBound));
    case 'ForStatement':
      return new Set(nodesIn(node['init']).flatMap(namesDeclared));
    case 'ForInStatement':
    case 'ForOfStatement':
      return new Set(nodesIn(node['left']).flatMap(namesDeclared));
    case 'CatchClause':
      return new Set(nodesIn(node['param']).flatMap(namesBound));
    default:
      return new Set();
  }
}

function namesDeclared(statement: SyntaxNode): readonly string[] {
  switch (statement.type) {
    case 'VariableDeclaration':
      return nodesIn(statement['declarations']).flatMap((one) => nodesIn(one['id']).flatMap(namesBound));
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
      return nodesIn(statement['id']).flatMap(namesBound);
    case 'ImportDeclaration':
      return nodesIn(statement['specifiers']).flatMap((one) => nodesIn(one['local']).flatMap(namesBound));
    case 'ExportNamedDeclaration':
    case 'ExportDefaultDeclaration':
      return nodesIn(statement['declaration']).flatMap(namesDeclared);
    default:
      return [];
  }
}

function namesBound(pattern: SyntaxNode): readonly string[] {
  switch (pattern.type) {
    case 'Identifier':
      return [String(pattern['name'])];
    case 'ObjectPattern':
      return nodesIn(pattern['properties']).flatMap(namesBound);
    case 'Property':
      return nodesIn(pattern['value']).flatMap(namesBound);
    case 'ArrayPattern':
      return nodesIn(pattern['elements']).flatMap(namesBound);
    case 'AssignmentPattern':
      return nodesIn(pattern['left']).flatMap(namesBound);
    case 'RestElement':
      return nodesIn(pattern['argument']).flatMap(namesBound);
    default:
      return isNode(pattern['parameter']) ? namesBound(pattern['parameter']) : [];
  }
}
