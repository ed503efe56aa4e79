import { builtinModules } from 'node:module';
import { dirname, join } from 'node:path/posix';
import { bannedGlobals } from './banned-globals.ts';
import { importsOf } from './imports.ts';
import { LAYERS, PACKAGES, type LayerRow } from './layer-table.ts';
import { lineOf, parse } from './syntax.ts';

/** A source file: `path` from the repository's root, with `/`. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

export interface LayerReport {
  readonly violations: readonly string[];
  /** How much was looked at, so that looking at nothing cannot pass. */
  readonly files: number;
  readonly imports: number;
}

/** A row as it stands for one file: `folder` has no `*` any more. */
interface Layer {
  readonly folder: string;
  readonly row: LayerRow;
}

const BUILTIN = new Set(builtinModules);

/** Holds files against the allow-list: what they import, and which globals they use. */
export function checkLayers(files: readonly SourceFile[]): LayerReport {
  const reports = files.map(checkFile);
  return {
    violations: reports.flatMap((report) => report.violations),
    files: reports.length,
    imports: reports.reduce((sum, report) => sum + report.imports, 0),
  };
}

function checkFile({ path, text }: SourceFile): LayerReport {
  const program = parse(path, text);
  const imports = importsOf(program);
  const layer = layerOf(moduleOf(path));
  if (layer === undefined)
    return {
      violations: [`${path}: no row of the layer table speaks of this file`],
      files: 1,
      imports: imports.length,
    };
  const findings = imports.map(({ specifier, node }) => ({ why: whyNot(layer, path, specifier), node }));
  const globals = layer.row.world === 'pure' ? bannedGlobals(program) : [];
  const violations = [
    ...findings,
    ...globals.map(({ what, node }) => ({ why: `${layer.folder} is pure and uses ${what}`, node })),
  ].flatMap(({ why, node }) => (why === undefined ? [] : [`${path}:${lineOf(text, node)}: ${why}`]));
  return { violations, files: 1, imports: imports.length };
}

/** Why this file may not import this module; `undefined` when it may. */
function whyNot(layer: Layer, path: string, specifier: string | null): string | undefined {
  if (specifier === null) return 'the name of an imported module must be a literal';
  if (specifier.startsWith('.')) return whyNotFile(layer, path, specifier);
  if (specifier.startsWith('node:') || BUILTIN.has(specifier))
    return layer.row.world === 'node' ? undefined : `${layer.folder} is ${layer.row.world} and imports ${specifier}`;
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  const folders = PACKAGES[name];
  if (folders === undefined) return `no row of the package table speaks of ${name}`;
  return folders.some((folder) => covers(folder, layer.folder)) ? undefined : `${layer.folder} may not import ${name}`;
}

function whyNotFile(layer: Layer, path: string, specifier: string): string | undefined {
  const target = join(dirname(path), specifier);
  const module = moduleOf(target);
  const targetLayer = layerOf(module);
  if (targetLayer === undefined) return `${target} belongs to no layer`;
  if (layer.row.may === 'all' || covers(layer.folder, module)) return undefined;
  return layer.row.may.some((folder) => covers(folder, module))
    ? undefined
    : `${layer.folder} may not import ${targetLayer.folder} (${specifier})`;
}

/** `src/authority/ports.ts` → `authority/ports`; `sync-server/main.ts` → `sync-server/main`. */
function moduleOf(path: string): string {
  return path.replace(/^src\//, '').replace(/\.tsx?$/, '');
}

/** The most special row that speaks of a module: the longest folder; a row that names it before one that has a `*`. */
function layerOf(module: string): Layer | undefined {
  return LAYERS.flatMap((row): readonly Layer[] => {
    const folder = instanceOf(row.folder, module);
    return folder === undefined ? [] : [{ folder, row }];
  }).toSorted((a, b) => b.folder.length - a.folder.length || b.row.folder.length - a.row.folder.length)[0];
}

function instanceOf(pattern: string, module: string): string | undefined {
  if (!pattern.endsWith('/*')) return covers(pattern, module) ? pattern : undefined;
  const parent = pattern.slice(0, -2);
  const name = covers(parent, module) ? module.split('/')[parent.split('/').length] : undefined;
  return name === undefined ? undefined : `${parent}/${name}`;
}

/** Whether a folder (or module) is, or contains, a module. */
function covers(folder: string, module: string): boolean {
  return module === folder || module.startsWith(`${folder}/`);
}
