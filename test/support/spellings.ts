/** Ways to write the path of a file in a folder that nobody may reach. */
export function spellingsInside(folder: string, file: string): readonly string[] {
  const folders = new Set(namesLike(folder));
  const found = [...folders].flatMap((name) => [
    `${name}/${file}`,
    `./${name}//${file}`,
    `src/../${name}/./${file}`,
    `${name}/sub/../${file.toUpperCase()}`,
    `src/in/../../${name}/${file}/`,
  ]);
  return [...new Set(found)];
}

export function spellingsOutside(root: string, state: string, file: string): readonly string[] {
  const up = '../'.repeat(40);
  const name = state.slice(state.lastIndexOf('/') + 1);
  const absolute = `${state}/${file}`;
  const wholes = [
    absolute,
    `/${absolute}`,
    `${root}/../${name}/${file}`,
    `${root}/./src/../../${name}/${file}`,
    `../${name}/${file}`,
    `src/../../${name}//${file}`,
    `src/in/../../../${name}/./${file}`,
    `${up}${absolute.slice(1)}`,
    `/proc/self/root${absolute}`,
    `/proc/${process.pid}/root${absolute}`,
    `//proc//self//root${absolute}`,
    `/PROC/self/root${absolute}`,
    `/proc/self/cwd/../../${absolute}`,
    `/proc/thread-self/root${absolute}`,
    `${`/proc/self/root`.repeat(2)}${absolute}`,
    `/dev/fd/../../root${absolute}`,
    `/dev/fd/3/${file}`,
    `/dev/stdin/../../..${absolute}`,
    `/./proc/self/root${absolute}`,
    `~/${name}/${file}`,
    `file://${absolute}`,
    absolute.replaceAll('/', '\\'),
    `..\\${name}\\${file}`,
  ];
  return [
    ...new Set(
      wholes.flatMap((whole) => [whole, whole.toUpperCase(), `${whole}/`, `${whole}.`, `${whole} `, `${whole}\0`]),
    ),
  ];
}

/** A name as the file systems of this world would take it for the same. */
function namesLike(name: string): readonly string[] {
  const fullWidth = name.replaceAll(/[a-z]/gu, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0));
  return [
    name,
    name.toUpperCase(),
    name.toLowerCase(),
    name.replaceAll('s', '\u017f'),
    name.normalize('NFD'),
    name.normalize('NFD').toUpperCase(),
    name.normalize('NFC'),
    fullWidth,
    `${name}.`,
    `${name}...`,
    `${name} `,
    `${name}. .`,
    `${name.toUpperCase()}.`,
    `${name}::$INDEX_ALLOCATION`,
    `${name}:stream`,
    Array.from(name).join('\u200c'),
    Array.from(name).join('\u2060'),
    `\ufeff${name}`,
    `${name}\u00ad`,
    `${name}\ufe0f`,
    `\u202e${name}`,
    `${name}\0`,
    `${name}\n`,
    name.replace('t', 'T'),
    name.replace('a', 'A').normalize('NFD'),
  ];
}
