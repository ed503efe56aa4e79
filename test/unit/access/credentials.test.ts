import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toBase64Url, utf8 } from '../../../src/base/bytes.ts';
import {
  credentialText,
  fromSubprotocols,
  parseCredentialText,
  PROTOCOL,
  toSubprotocols,
  type Credentials,
} from '../../../src/access/credentials.ts';
import { HOME_SIGNER } from '../../support/doc-lab.ts';

const signed = (payload: string) => ({ payload, signature: 'ab'.repeat(64) });
const DEVICE_ASKS: Credentials = {
  homeKey: HOME_SIGNER.publicKey,
  grant: signed('{"g":1}'),
  proof: signed('{"p":"ä"}'),
};
const HOME_ASKS: Credentials = { ...DEVICE_ASKS, grant: null };

describe('credentials', () => {
  test.each([
    ['a device', DEVICE_ASKS],
    ['the home', HOME_ASKS],
  ])('of %s come through as a word and as subprotocols', (_, credentials) => {
    const word = credentialText(credentials);
    expect(word).toMatch(/^[A-Za-z0-9._-]+$/);
    expect(parseCredentialText(word)).toEqual({ ok: true, value: credentials });
    expect(fromSubprotocols(toSubprotocols(credentials))).toEqual({ ok: true, value: credentials });
    expect(toSubprotocols(credentials)[0]).toBe(PROTOCOL);
  });

  test('are missing where nobody asked with any, which is not the same as malformed', () => {
    expect(fromSubprotocols([])).toBeUndefined();
    expect(fromSubprotocols([PROTOCOL, 'chat'])).toBeUndefined();
    expect(fromSubprotocols(['auth.'])).toMatchObject({ ok: false });
  });

  const word = credentialText(DEVICE_ASKS);
  const [key = '', ...rest] = word.split('.');
  test.each([
    ['nothing', ''],
    ['a part too few', word.slice(0, word.lastIndexOf('.'))],
    ['a part too many', `${word}.x`],
    ['a home key that is too short', [key.slice(2), ...rest].join('.')],
    ['a home key in capitals', [key.toUpperCase(), ...rest].join('.')],
    ['a payload that is no base64url', [key, '*', ...rest.slice(1)].join('.')],
    ['a payload that is not UTF-8', [key, toBase64Url(Uint8Array.of(255)), ...rest.slice(1)].join('.')],
    ['a grant that is left empty beside a signature', [key, '-', ...rest.slice(1)].join('.')],
    ['more than credentials need', `${key}.-.${'a'.repeat(5000)}.b`],
  ])('that are malformed are refused: %s', (_, text) => {
    expect(parseCredentialText(text)).toMatchObject({ ok: false });
  });

  test('of any text are read or refused, and what is read has one form', () => {
    const part = fc.oneof(fc.constantFrom(key, '-', '', toBase64Url(utf8('{}')), 'ab'), fc.string({ maxLength: 6 }));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const text = parts.join('.');
        const parsed = parseCredentialText(text);
        if (parsed.ok) expect(credentialText(parsed.value)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });
});
