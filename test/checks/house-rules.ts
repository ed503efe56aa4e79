import type { SourceFile } from './layer-rules.ts';
import { allNodes, childrenOf, isNode, lineOf, nodesIn, parse, type SyntaxNode } from './syntax.ts';

/** Lines of one product file. More is two ideas. */
export const FILE_LINES_MAX = 400;

/** A rule over one file: where it is broken, as words; nothing when it holds. */
type Rule = (file: SourceFile) => readonly string[];

/** The rules of the house that no tool knows. Words they forbid are spelled so that this file does not hold them. */
const RULES: readonly { readonly files: RegExp; readonly rule: Rule }[] = [
  { files: /^(src|sync-server)\/.*\.tsx?$/, rule: tooLong },
  { files: /^(src|sync-server)\/.*\.tsx?$/, rule: overSyntax(everythingExported, inherits, unreasoned) },
  { files: /^(src|sync-server|test|scripts|bench|examples)\//, rule: misnamed },
  { files: /\.(tsx?|mjs|md|json|sh)$|^\.ci\//, rule: unfinished },
  { files: /\.(tsx?|mjs)$/, rule: says(/\bslee[p]\(/, 'sleeps; time moves by a clock, messages by a step') },
  {
    files: /^test\/(?!checks\/)/,
    rule: says(/\.(?:only|skip|todo)[(.]/, 'leaves tests out'),
  },
  {
    files: /^test\/(?!checks\/)/,
    rule: says(/\b(?:vi|jest)\.(?:mock|doMock|stubGlobal)\(/, 'mocks a module; fakes implement ports'),
  },
  { files: /./, rule: says(/\/wor[k]\/|\/tmp\/bash_job[s]|\/roo[t]\/|\.librar[y]\//, 'names a path of one machine') },
  { files: /./, rule: says(/\/\/(?:registr[y]\.|npm\.pkg\.)/, 'names a registry host') },
];

/** Every place where a file breaks a rule of the house, as `path:line: what`. */
export function checkHouse(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) =>
    RULES.filter(({ files: which }) => which.test(file.path)).flatMap(({ rule }) =>
      rule(file).map((what) => `${file.path}:${what}`),
    ),
  );
}

function says(words: RegExp, what: string): Rule {
  return ({ text }) => text.split('\n').flatMap((line, index) => (words.test(line) ? [`${index + 1}: ${what}`] : []));
}

/** Rules that look at the syntax tree share one. */
function overSyntax(...rules: readonly ((text: string, program: SyntaxNode) => readonly string[])[]): Rule {
  return ({ path, text }) => {
    const program = parse(path, text);
    return rules.flatMap((rule) => rule(text, program));
  };
}

function unfinished(file: SourceFile): readonly string[] {
  return says(/\b(?:TO[D]O|FIX[M]E|XX[X])\b/, 'says that it is not finished')(file);
}

function tooLong({ text }: SourceFile): readonly string[] {
  const lines = text.trimEnd().split('\n').length;
  return lines > FILE_LINES_MAX ? [`1: has ${lines} lines; ${FILE_LINES_MAX} is the most`] : [];
}

function misnamed({ path }: SourceFile): readonly string[] {
  const name = path.split('/').at(-1) ?? '';
  return /\.(tsx?|mjs)$/.test(name) && !/^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9-]+)*$/.test(name)
    ? ['1: is not named in kebab-case']
    : [];
}

function everythingExported(text: string, program: SyntaxNode): readonly string[] {
  return [...allNodes(program)]
    .filter((node) => node.type === 'ExportAllDeclaration')
    .map((node) => `${lineOf(text, node)}: exports everything of a module; name what is offered`);
}

function inherits(text: string, program: SyntaxNode): readonly string[] {
  return [...allNodes(program)]
    .filter((node) => nodesIn(node['superClass']).some((parent) => parent['name'] !== 'Error'))
    .map((node) => `${lineOf(text, node)}: inherits; only errors may`);
}

/** An assertion or a suppression overrules the compiler, so it says why: on its line, above it, or above its statement. */
function unreasoned(text: string, program: SyntaxNode): readonly string[] {
  const lines = text.split('\n');
  const asserted = assertions(program, []).map((nodes) => nodes.map((node) => lineOf(text, node)));
  const suppressed = lines.flatMap((line, index) =>
    /(?:oxlint|eslint)-disable|@ts-(?:expect-error|ignore|nocheck)/.test(line) ? [[index + 1]] : [],
  );
  const silent = [...asserted, ...suppressed].filter((places) => !places.some((line) => isReasoned(lines, line)));
  return [...new Set(silent.map(([line]) => `${line}: overrules the compiler or the linter without a // reason:`))];
}

/** For every type assertion the nodes whose lines may carry its reason: itself, its type, its statement. */
function assertions(node: SyntaxNode, statement: readonly SyntaxNode[]): readonly (readonly SyntaxNode[])[] {
  const around = /(?:Statement|Declaration|Definition)$/.test(node.type) ? [node] : statement;
  const below = childrenOf(node).flatMap((child) => assertions(child, around));
  return overrulesTypes(node) ? [[node, ...nodesIn(node['typeAnnotation']), ...around], ...below] : below;
}

function overrulesTypes(node: SyntaxNode): boolean {
  if (node.type === 'TSTypeAssertion' || node.type === 'TSNonNullExpression') return true;
  return node.type === 'TSAsExpression' && !isConst(node['typeAnnotation']);
}

function isConst(type: unknown): boolean {
  if (!isNode(type) || type.type !== 'TSTypeReference') return false;
  return isNode(type['typeName']) && type['typeName']['name'] === 'const';
}

/** `line` counts from 1. */
function isReasoned(lines: readonly string[], line: number): boolean {
  return [lines[line - 1], lines[line - 2]].some((text) => text?.includes('reason:') === true);
}
