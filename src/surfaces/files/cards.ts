import type { CardTemplate } from '../../model/card.ts';

const CHANGE = [
  field('File', '/effect/path', 'path'),
  field('Before', '/effect/before/content', 'diff'),
  field('After', '/effect/after/content', 'diff'),
] as const;

/** Cards show the effect in its normal form, not the agent's spelling of it. The two `diff` fields are one diff. */
export const FILE_CARDS = {
  write: card('Write {0}', CHANGE),
  edit: card('Edit {0}', CHANGE),
  mkdir: card('Create folder {0}', [
    field('Folder', '/effect/path', 'path'),
    field('Folders made', '/effect/paths', 'text'),
  ]),
  move: card('Move {0} to {1}', [
    field('From', '/effect/from', 'path'),
    field('To', '/effect/to', 'path'),
    field('Moved', '/effect/entries', 'text'),
  ]),
  delete: card('Delete {0}', [field('Path', '/effect/path', 'path'), field('Deleted', '/effect/entries', 'text')]),
} as const;

function card(title: string, fields: CardTemplate['fields']): CardTemplate {
  return { title, target: fields[0]?.pointer ?? '', fields };
}

function field(
  label: string,
  pointer: string,
  as: CardTemplate['fields'][number]['as'],
): CardTemplate['fields'][number] {
  return { label, pointer, as };
}
