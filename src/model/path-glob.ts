import { isVisible } from './unicode-hazard.ts';

const GLOB_LIMITS = {
  /** UTF-16 units of a glob: longer than anybody reads on a card. */
  globCharsMax: 256,
  /** UTF-16 units of a path that is looked at; a longer one matches nothing and waits for a person. */
  pathCharsMax: 4_096,
  /** Names in either. */
  segmentsMax: 128,
} as const;

/** Signs of other glob languages: whoever writes one expects what this one does not do. */
const FOREIGN = /[[\]{}!^()|]/u;
/** What some system reads as something other than a letter of a name. */
const SPECIAL = /[\\:"<>|]/u;

/**
 * Why a text is no glob; `null` when it is one. A glob is a relative path in which `?` stands for one sign and `*` for
 * any within a name, and a whole `**` for any folders. None of them stands for a name that begins with a dot.
 */
export function globProblem(glob: string): string | null {
  if (glob.length > GLOB_LIMITS.globCharsMax) return `may have ${GLOB_LIMITS.globCharsMax} characters at most`;
  if (FOREIGN.test(glob)) return 'knows only *, ? and ** as wildcards';
  const segments = glob.split('/');
  if (segments.length > GLOB_LIMITS.segmentsMax) return `may name ${GLOB_LIMITS.segmentsMax} folders at most`;
  if (segments.some((segment) => segment !== '**' && segment.includes('**')))
    return 'can have ** only as a whole name between slashes';
  return segments.every(isPlainName) ? null : 'must be a relative path without empty, dotted or unreadable names';
}

/** Does a path match a glob that `globProblem` has nothing against? What is not a plain relative path never does. */
export function matchesGlob(glob: string, path: string): boolean {
  if (path.length > GLOB_LIMITS.pathCharsMax || path.normalize('NFC') !== path) return false;
  const names = path.split('/');
  if (names.length > GLOB_LIMITS.segmentsMax || !names.every(isPlainName)) return false;
  const segments = glob.split('/');
  // `src/**` is what lies in src, not src itself.
  if (segments.at(-1) === '**') segments.push('*');
  return covers(segments, names, {
    isStar: (segment) => segment === '**',
    swallows: (name) => !name.startsWith('.'),
    fits: matchesName,
  });
}

function matchesName(segment: string, name: string): boolean {
  if (name.startsWith('.') && !segment.startsWith('.')) return false;
  return covers(Array.from(segment), Array.from(name), {
    isStar: (sign) => sign === '*',
    swallows: () => true,
    fits: (sign, letter) => sign === '?' || sign === letter,
  });
}

interface Signs<P, I> {
  readonly isStar: (part: P) => boolean;
  readonly swallows: (item: I) => boolean;
  readonly fits: (part: P, item: I) => boolean;
}

/** Costs parts × items whatever they are: nothing is tried twice. */
function covers<P, I>(parts: readonly P[], items: readonly I[], signs: Signs<P, I>): boolean {
  /** `ends[n]`: what was looked at of the parts can cover exactly the first n items. */
  let ends = [true, ...items.map(() => false)];
  for (const part of parts) {
    const before = ends;
    const star = signs.isStar(part);
    ends = [star && before[0] === true];
    for (const [at, item] of items.entries()) {
      const goesOn = ends[at] === true && signs.swallows(item);
      ends.push(star ? before[at + 1] === true || goesOn : before[at] === true && signs.fits(part, item));
    }
  }
  return ends[items.length] === true;
}

function isPlainName(name: string): boolean {
  if (name === '' || name === '.' || name === '..') return false;
  if (SPECIAL.test(name) || /^ | $|\.$/u.test(name)) return false;
  return Array.from(name).every(isVisible);
}
