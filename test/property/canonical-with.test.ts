import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalBytes, canonicalWith } from '../../src/base/canonical-json.ts';

const key = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', 'a', 'record', '\u{1F600}', '\uE000'));
const value = fc.jsonValue().filter((json) => !JSON.stringify(json).includes('__proto__'));

test('a member that was encoded before stands where it would have stood, whatever the keys around it', () => {
  fc.assert(
    fc.property(fc.dictionary(key, value, { maxKeys: 6 }), key, value, (rest, name, member) => {
      fc.pre(name !== '__proto__' && !(name in rest) && !Object.keys(rest).includes('__proto__'));
      const whole = canonicalBytes({ ...rest, [name]: member });
      expect(canonicalWith(rest, name, canonicalBytes(member))).toEqual(whole);
    }),
    { numRuns: 3000 },
  );
});
