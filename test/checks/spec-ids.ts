import type { SourceFile } from './layer-rules.ts';

export interface SpecRule {
  readonly id: string;
  readonly status: 'built' | 'planned';
}

export interface ThreatRow {
  readonly id: string;
  /** Test files that prove the defence; none while it is planned. */
  readonly proofs: readonly string[];
}

export interface SpecReport {
  /** In a title, but no document speaks of it. */
  readonly unknown: readonly string[];
  /** Said to be built, but no title names it. */
  readonly unproven: readonly string[];
  /** Said to be planned, but a title names it. */
  readonly early: readonly string[];
}

/** The rules of docs/spec.md: `- **DR-3** · built · text`. */
export function specRules(markdown: string): readonly SpecRule[] {
  return [...markdown.matchAll(/^- \*\*([A-Z]{2}-\d+)\*\* · (built|planned) · /gm)].map(([, id = '', status]) => ({
    id,
    status: status === 'built' ? 'built' : 'planned',
  }));
}

/** The rows of docs/threat-model.md: the last cell is `planned` or names test files in backquotes. */
export function threatRows(markdown: string): readonly ThreatRow[] {
  return [...markdown.matchAll(/^\| ([TF]\d+) \|.*\| ([^|]*) \|$/gm)].map(([, id = '', proof = '']) => ({
    id,
    proofs: [...proof.matchAll(/`(test\/[^`]+)`/g)].map(([, path = '']) => path),
  }));
}

/** The ids that open titles in a test file: `'[DR-3] …'`, `'[CA-1] [SM-6] …'`. */
export function titleIds({ text }: SourceFile): readonly string[] {
  const openings = text.matchAll(/['"`]((?:\[(?:[A-Z]{2}-\d+|[TF]\d+)\] )+)(?=\S)/g);
  return [...openings].flatMap(([, ids = '']) => [...ids.matchAll(/\[([^\]]+)\]/g)].map(([, id = '']) => id));
}

/** What the documents say is built against what the titles of the tests say they prove. */
export function compareSpec(input: {
  readonly rules: readonly SpecRule[];
  readonly threats: readonly ThreatRow[];
  readonly tests: readonly SourceFile[];
}): SpecReport {
  const titles = new Map(input.tests.map((file) => [file.path, titleIds(file)]));
  const named = new Set([...titles.values()].flat());
  const planned = [
    ...input.rules.filter(({ status }) => status === 'planned').map(({ id }) => id),
    ...input.threats.filter(({ proofs }) => proofs.length === 0).map(({ id }) => id),
  ];
  const known = new Set([...input.rules, ...input.threats].map(({ id }) => id));
  const unproven = [
    ...input.rules.filter(({ id, status }) => status === 'built' && !named.has(id)).map(({ id }) => id),
    ...input.threats.flatMap(({ id, proofs }) =>
      proofs.filter((path) => titles.get(path)?.includes(id) !== true).map((path) => `${id} (${path})`),
    ),
  ];
  return {
    unknown: [...named].filter((id) => !known.has(id)).toSorted(),
    unproven,
    early: planned.filter((id) => named.has(id)),
  };
}
