import { RE2JS } from 're2js';
import { CountersignError } from '../../base/errors.ts';
import { FILE_LIMITS } from './limits.ts';

/** Tells whether a relative path matches. */
export type PathTest = (path: string) => boolean;

/**
 * Compiles a glob: `*` and `?` within a name, `**` across names, `[a-z]`, `[!a-z]`, `{one,two}`, `\` before a literal
 * character. Hidden names match like others. It runs on RE2, so that no pattern costs more than its length.
 *
 * Throws: `bad-input` starting with `field`.
 */
export function compileGlob(glob: string, field: string): PathTest {
  const expression = compileExpression(`(?s)^(?:${globSource(glob)})$`, glob, field, 0);
  return (path) => expression.test(path);
}

/** Compiles a regular expression in RE2 syntax. Throws: `bad-input` starting with `field`. */
export function compilePattern(pattern: string, field: string, options: { readonly ignoreCase: boolean }): PathTest {
  const flags = options.ignoreCase ? RE2JS.CASE_INSENSITIVE : 0;
  const expression = compileExpression(pattern, pattern, field, flags);
  return (text) => expression.test(text);
}

function compileExpression(source: string, given: string, field: string, flags: number): RE2JS {
  if (given.length > FILE_LIMITS.patternCharsMax)
    throw new CountersignError('bad-input', `${field}: has more than ${FILE_LIMITS.patternCharsMax} characters.`);
  try {
    return RE2JS.compile(source, flags);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.replace(/^error parsing regexp: /u, '') : 'unknown reason';
    throw new CountersignError('bad-input', `${field}: cannot be understood (${why}).`, { cause });
  }
}

/** One piece of glob syntax at the start of the rest: its length, and its regular expression. */
type Piece = readonly [length: number, source: string];

function globSource(glob: string): string {
  let source = '';
  let depth = 0;
  for (let at = 0; at < glob.length;) {
    const [length, piece] = pieceAt(glob, at, depth);
    if (piece === '(?:') depth++;
    if (piece === ')') depth--;
    source += piece;
    at += length;
  }
  // A brace that is never closed means itself.
  return depth === 0 ? source : globSource(glob.replaceAll('{', '\\{'));
}

function pieceAt(glob: string, at: number, depth: number): Piece {
  const rest = glob.slice(at);
  const startsName = at === 0 || glob[at - 1] === '/';
  if (startsName && rest.startsWith('**/')) return [3, '(?:[^/]+/)*'];
  if (startsName && rest === '**') return [2, '.+'];
  if (startsName && /^\*(?:\/|$)/u.test(rest)) return [1, '[^/]+'];
  const stars = /^\*+/u.exec(rest)?.[0];
  if (stars !== undefined) return [stars.length, '[^/]*'];
  if (rest.startsWith('?')) return [1, '[^/]'];
  const set = /^\[([!^]?)(\]?[^\]/]+)\]/u.exec(rest);
  if (set !== null) return [set[0].length, setSource(set[1] !== '', set[2] ?? '')];
  if (rest.startsWith('{')) return [1, '(?:'];
  if (depth > 0 && rest.startsWith('}')) return [1, ')'];
  if (depth > 0 && rest.startsWith(',')) return [1, '|'];
  if (rest.startsWith('\\') && rest.length > 1) return [2, RE2JS.quote(rest.charAt(1))];
  const [character = ''] = rest;
  return [character.length, RE2JS.quote(character)];
}

function setSource(negated: boolean, members: string): string {
  const escaped = members.replaceAll(/[\\[\]^&~]/gu, String.raw`\$&`);
  return negated ? `[^/${escaped}]` : `[${escaped}]`;
}
