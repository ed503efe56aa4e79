/** JSON as people keep it in files. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** A TOML basic string. Its escapes are those of JSON, with DEL escaped as well. */
export function tomlString(text: string): string {
  return JSON.stringify(text).replaceAll('\u007F', String.raw`\u007F`);
}

export function tomlArray(texts: readonly string[]): string {
  return `[${texts.map(tomlString).join(', ')}]`;
}
