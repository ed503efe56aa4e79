import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { display } from '../../../src/model/display.ts';
import { displayHost, displayName, displayPath, displayUrl } from '../../../src/model/display-name.ts';
import { fenceText } from '../../../src/model/fence-text.ts';
import { forbiddenIn } from '../../support/seen-text.ts';

interface HostileCase {
  readonly group: string;
  readonly name: string;
  readonly parts: readonly (string | { readonly repeat: string; readonly times: number })[];
  readonly shown: string;
  readonly flags: readonly string[];
  readonly cutBytes: number;
  readonly isolate: boolean;
}

const CASES: readonly HostileCase[] = JSON.parse(
  readFileSync(new URL('../../golden/hostile-text.json', import.meta.url), 'utf8'),
);

function textOf(hostile: HostileCase): string {
  return hostile.parts.map((part) => (typeof part === 'string' ? part : part.repeat.repeat(part.times))).join('');
}

test('[T2] the corpus is large and names every case once', () => {
  expect(CASES.length).toBeGreaterThanOrEqual(190);
  expect(new Set(CASES.map(({ name }) => name)).size).toBe(CASES.length);
});

test.each(CASES)('[T2] $group: $name is shown as pinned', (hostile) => {
  const shown = display(textOf(hostile), { maxChars: 160 });
  expect(shown).toEqual({
    text: hostile.shown,
    flags: hostile.flags,
    cutBytes: hostile.cutBytes,
    isolate: hostile.isolate,
  });
  expect(forbiddenIn(shown.text)).toEqual([]);
});

test.each(CASES)('[T2] $group: $name is harmless as lines, path, host, URL, name and fence', (hostile) => {
  const text = textOf(hostile);
  const lines = display(text, { multiline: true, maxChars: 400 });
  expect(forbiddenIn(lines.text.replaceAll('\n', ''))).toEqual([]);
  expect(lines.text.length).toBeLessThanOrEqual(400);
  for (const shown of [displayPath(text), displayHost(text), displayUrl(text), displayName(text)]) {
    expect(forbiddenIn(shown.text)).toEqual([]);
    expect(shown.text.length).toBeLessThanOrEqual(480);
  }
  const fenced = fenceText(text, { nonce: 'n7q2n7q2n7q2n7q2', from: text });
  expect(forbiddenIn(fenced.replaceAll('\n', ''))).toEqual([]);
});
