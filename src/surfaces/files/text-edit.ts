import { CountersignError } from '../../base/errors.ts';

/** One replacement as an agent asks for it. */
export interface TextEdit {
  readonly oldText: string;
  readonly newText: string;
}

/** How many places of an ambiguous edit are named in its refusal. */
const PLACES_SHOWN = 5;

/**
 * Applies edits one after the other. Each must match exactly one place: as it stands, else with the file's own line
 * endings, else line by line without regard to leading and trailing white space. Everything outside stays as it is.
 *
 * Throws: `bad-input` naming the edit.
 */
export function applyEdits(text: string, edits: readonly TextEdit[], path: string): string {
  return edits.reduce((present, edit, index) => applyEdit(present, edit, `edits[${index}].oldText`, path), text);
}

function applyEdit(text: string, edit: TextEdit, field: string, path: string): string {
  if (edit.oldText === '') throw new CountersignError('bad-input', `${field}: is empty; quote the lines to replace.`);
  const ending = endingOf(text);
  const own = { oldText: withEnding(edit.oldText, ending), newText: withEnding(edit.newText, ending) };
  for (const oldText of new Set([edit.oldText, own.oldText])) {
    const places = placesOf(text, oldText);
    if (places.length > 1) throw ambiguous(text, places, field, path);
    const [place] = places;
    if (place !== undefined) return text.slice(0, place) + own.newText + text.slice(place + oldText.length);
  }
  return applyByLine(text, own, field, path);
}

/** The one line ending of a text; `undefined` when it has none or mixes them, and nothing may be translated. */
function endingOf(text: string): '\n' | '\r\n' | undefined {
  const all = text.split('\n').length - 1;
  const long = text.split('\r\n').length - 1;
  if (all === 0 || (long > 0 && long < all)) return undefined;
  return long === 0 ? '\n' : '\r\n';
}

function withEnding(text: string, ending: '\n' | '\r\n' | undefined): string {
  return ending === undefined ? text : text.replaceAll(/\r?\n/gu, ending);
}

function placesOf(text: string, part: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) {
    places.push(at);
    if (places.length > PLACES_SHOWN) break;
  }
  return places;
}

function applyByLine(text: string, edit: TextEdit, field: string, path: string): string {
  const lines = linesOf(text);
  const wanted = linesOf(edit.oldText).map((line) => line.trim());
  const starts: number[] = [];
  // Blank lines match anywhere; without regard to white space they say nothing.
  const last = wanted.some((line) => line !== '') ? lines.length - wanted.length : -1;
  for (let at = 0; at <= last && starts.length <= PLACES_SHOWN; at++) {
    if (wanted.every((line, offset) => lines[at + offset]?.trim() === line)) starts.push(at);
  }
  const [start] = starts;
  if (start === undefined)
    throw new CountersignError(
      'bad-input',
      `${field}: not found in ${path}; read the file and quote its lines exactly.`,
    );
  if (starts.length > 1) throw ambiguousLines(starts, field, path);
  const replaced = lines.slice(start, start + wanted.length);
  const fresh = reindented(edit, replaced);
  return [...lines.slice(0, start), fresh, ...lines.slice(start + wanted.length)].join('');
}

/** The new lines with the indentation that the matched lines really have. */
function reindented(edit: TextEdit, replaced: readonly string[]): string {
  const before = indentOf(linesOf(edit.oldText)[0] ?? '');
  const present = indentOf(replaced[0] ?? '');
  const lines = linesOf(edit.newText).map((line) => {
    if (line.trim() === '') return line;
    return line.startsWith(before) ? present + line.slice(before.length) : present + line.trimStart();
  });
  const text = lines.join('');
  const last = replaced.at(-1) ?? '';
  const end = /\r?\n$/u.exec(last)?.[0] ?? '';
  return text === '' || text.endsWith('\n') ? text : text + end;
}

/** Lines with their endings; none for the empty text. */
export function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/gu) ?? [];
}

function indentOf(line: string): string {
  return /^[ \t]*/u.exec(line)?.[0] ?? '';
}

function ambiguous(text: string, places: readonly number[], field: string, path: string): CountersignError {
  return ambiguousLines(
    places.map((place) => text.slice(0, place).split('\n').length - 1),
    field,
    path,
  );
}

function ambiguousLines(starts: readonly number[], field: string, path: string): CountersignError {
  const shown = starts.slice(0, PLACES_SHOWN).map((start) => start + 1);
  const more = starts.length > PLACES_SHOWN ? ' and more' : '';
  return new CountersignError(
    'bad-input',
    `${field}: matches more than one place in ${path} (lines ${shown.join(', ')}${more}); quote more lines around it.`,
  );
}
