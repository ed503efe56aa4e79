import { expect, test } from 'vitest';
import { display, DISPLAY_LIMITS, formatCount } from '../../../src/model/display.ts';
import { displayHost, displayName, displayPath, displayUrl } from '../../../src/model/display-name.ts';
import { mixedScript } from '../../../src/model/unicode-script.ts';

test('[T2] lines are kept only when asked for', () => {
  expect(display('a\n\tb').text).toBe('a\\u{A}\\u{9}b');
  expect(display('a\r\n\tb\rc', { multiline: true }).text).toBe('a\n    b\\u{D}c');
});

test('[T2] blank lines become their count, and what follows is seen', () => {
  const shown = display(`safe\n${'\n'.repeat(2_000_000)}rm -rf ~`, { multiline: true });
  expect(shown.text).toBe('safe\n… 2,000,000 blank lines …\nrm -rf ~');
  expect(shown.flags).toEqual(['blank-flood']);
  const few = `a\n${'\n'.repeat(DISPLAY_LIMITS.blankLinesMax)}b`;
  expect(display(few, { multiline: true })).toMatchObject({ text: few, flags: [] });
});

test('[T2] lines that hold only white space count as blank', () => {
  expect(display(`a\n${' \t \n'.repeat(50)}b`, { multiline: true }).text).toBe('a\n… 50 blank lines …\nb');
});

test('[T2] long text shows head, tail and the exact bytes between', () => {
  const text = `HEAD${'ä'.repeat(10_000)}TAIL`;
  const shown = display(text, { maxChars: 100 });
  expect(shown.text).toMatch(/^HEADä+ … [\d,]+ bytes not shown … ä+TAIL$/);
  expect(shown.text).toContain(`… ${formatCount(shown.cutBytes)} bytes not shown …`);
  const kept = shown.text.match(/ä/g)?.length ?? 0;
  expect(shown.cutBytes).toBe(2 * (10_000 - kept));
  expect(shown.text.length).toBeLessThanOrEqual(100);
});

test('[T2] a limit too small for its own note is raised', () => {
  expect(display('x'.repeat(500), { maxChars: 1 }).text.length).toBeLessThanOrEqual(DISPLAY_LIMITS.charsMin);
});

test('[T2] right-to-left letters ask for isolation', () => {
  expect(display('שלום').isolate).toBe(true);
  expect(display('\u202eabc').isolate).toBe(false);
});

test.each([
  ['src/app.ts', 'src/app.ts', []],
  [' src/app.ts ', '\\u{20}src/app.ts\\u{20}', []],
  ['a / b', 'a\\u{20}/\\u{20}b', []],
  ['   ', '\\u{20}\\u{20}\\u{20}', []],
  ['src/\u0430\u0440\u0440.ts', 'src/\u0430\u0440\u0440.ts', ['mixed-script']],
  ['a\nb', 'a\\u{A}b', ['escaped']],
])('[T2] path %j', (path, text, flags) => {
  expect(displayPath(path)).toMatchObject({ text, flags });
});

test.each([
  ['example.com', 'example.com'],
  ['EXAMPLE.com:80', 'example.com:80'],
  ['\u0430pple.com', 'xn--pple-43d.com'],
  ['münchen.de', 'xn--mnchen-3ya.de'],
  ['0x7f.1', '127.0.0.1'],
  ['[::1]:8080', '[::1]:8080'],
  ['good.com@evil.com', 'good.com@evil.com'],
  ['good.com\n', 'good.com\\u{A}'],
  ['', ''],
])('[T2] host %j', (host, text) => {
  expect(displayHost(host).text).toBe(text);
});

test.each([
  ['https://\u0430pple.com/%20', 'https://xn--pple-43d.com/%20'],
  ['https://example.com/ü', 'https://example.com/%C3%BC'],
  ['https://exa\tmple.com/', 'https://exa\\u{9}mple.com/'],
  ['not a url', 'not a url'],
  ['javascript:alert(1)', 'javascript:alert(1)'],
])('[T2] URL %j', (url, text) => {
  expect(displayUrl(url).text).toBe(text);
});

test.each([
  'p\u0430ypal',
  'pay\u200bp\u0430l',
  'pay\u200b\u043f\u0430\u043b',
  'micr\u03bfsoft',
  'src/\u0430\u0440\u0440.ts',
  'ａｐｐ.ts',
  '𝐚pp',
  '\u0441\u043e\u0441\u043e.com',
  'g\u0585\u0585gle',
])('[T2] %j is flagged', (name) => {
  expect(mixedScript(name)).toBe(true);
  expect(displayName(name).flags).toContain('mixed-script');
});

test.each(['app.ts', 'docs/привет.md', '東京タワーtower', '한국korea', 'naïve', 'ελληνικά', 'v2.0', 'a_b-c', '10 µm'])(
  '[T2] %j is not flagged',
  (name) => {
    expect(mixedScript(name)).toBe(false);
  },
);
