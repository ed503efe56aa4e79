/** What the fragment of a link holds: `#b=SECRET`. */
const LINK = /^#b=([A-Za-z0-9_-]{16,64})$/;

/** The secret of the link this page was opened with, and no trace of it in the address or the history. */
export function takeSecret(location: Location, history: History): string | null {
  const found = LINK.exec(location.hash)?.[1] ?? null;
  if (location.hash !== '') history.replaceState(null, '', location.pathname + location.search);
  return found;
}

/** A name a person would recognise this browser by, until they give it one of their own. */
export function guessNickname(userAgent: string): string {
  const browser = (
    [
      [/Edg\//, 'Edge'],
      [/OPR\//, 'Opera'],
      [/Firefox\//, 'Firefox'],
      [/Chrome\//, 'Chrome'],
      [/Safari\//, 'Safari'],
    ] as const
  ).find(([pattern]) => pattern.test(userAgent));
  const system = (
    [
      [/iPhone|iPad/, 'iPhone'],
      [/Android/, 'Android'],
      [/Windows/, 'Windows'],
      [/Mac OS X/, 'Mac'],
      [/CrOS/, 'Chromebook'],
      [/Linux/, 'Linux'],
    ] as const
  ).find(([pattern]) => pattern.test(userAgent));
  return `${browser?.[1] ?? 'Browser'}${system === undefined ? '' : ` on ${system[1]}`}`;
}
