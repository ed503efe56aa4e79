import { toHex } from '../base/bytes.ts';

/** Public keys remembered. A roster names at most 256 devices, a home a handful of keys of its own. */
export const KEY_CACHE_MAX = 512;

/** `prepare` with its newest answers kept: judging or parsing a public key costs more than verifying with it. */
export function cachedByKey<T>(prepare: (publicKey: Uint8Array) => T): (publicKey: Uint8Array) => T {
  const answers = new Map<string, T>();
  return (publicKey) => {
    const name = toHex(publicKey);
    const answer = answers.has(name)
      ? (answers.get(name) as T) // reason: `has` was true; T itself may include undefined
      : prepare(publicKey);
    // Set again at the end: a Map keeps the order of insertion, so that its first key is the one unused for longest.
    answers.delete(name);
    answers.set(name, answer);
    const [oldest] = answers.keys();
    if (answers.size > KEY_CACHE_MAX && oldest !== undefined) answers.delete(oldest);
    return answer;
  };
}
