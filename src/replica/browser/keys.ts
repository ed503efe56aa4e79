import { CountersignError } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import { nobleAgreement, nobleSigner } from '../../crypto/noble.ts';
import type { Agreement, SlowSigner } from '../../crypto/ports.ts';
import { seedKeys } from '../memory.ts';
import type { DeviceKeys, KeyMaker } from '../ports.ts';

/** Keys the browser keeps: their secrets cannot be read by any script, this one included. */
interface KeptKeys {
  readonly type: 'webcrypto';
  readonly sign: CryptoKey;
  readonly signPublic: Uint8Array;
  readonly box: CryptoKey;
  readonly boxPublic: Uint8Array;
}

/**
 * Keys of a device in a browser: kept by the browser and not extractable where it can do that (a secure context, and
 * Ed25519 and X25519 in WebCrypto), else made and held by this page, in the same database.
 */
export function browserKeys(options: { readonly subtle: SubtleCrypto | undefined; readonly random: Random }): KeyMaker {
  const { random, subtle } = options;
  const own = seedKeys({ random, signer: nobleSigner, agreement: nobleAgreement });
  return {
    async make() {
      const kept = subtle === undefined ? undefined : await keptBy(subtle);
      return subtle === undefined || kept === undefined ? own.make() : keysOf(subtle, kept);
    },
    async restore(kept) {
      if (!isKept(kept)) return own.restore(kept);
      if (subtle === undefined)
        throw new CountersignError('storage', 'The keys of this device can be used over a secure connection only.');
      return keysOf(subtle, kept);
    },
  };
}

/** `undefined` where the platform lacks one of the two algorithms. */
async function keptBy(subtle: SubtleCrypto): Promise<KeptKeys | undefined> {
  try {
    const sign = await pair(subtle, 'Ed25519', ['sign', 'verify']);
    const box = await pair(subtle, 'X25519', ['deriveBits']);
    return {
      type: 'webcrypto',
      sign: sign.privateKey,
      signPublic: await raw(subtle, sign.publicKey),
      box: box.privateKey,
      boxPublic: await raw(subtle, box.publicKey),
    };
  } catch {
    // NotSupportedError, or whatever an older browser throws for a name it does not know.
    return undefined;
  }
}

async function pair(subtle: SubtleCrypto, name: string, usages: readonly KeyUsage[]): Promise<CryptoKeyPair> {
  // reason: both algorithms make pairs
  return (await subtle.generateKey({ name }, false, [...usages])) as CryptoKeyPair;
}

async function raw(subtle: SubtleCrypto, key: CryptoKey): Promise<Uint8Array> {
  return new Uint8Array(await subtle.exportKey('raw', key));
}

function keysOf(subtle: SubtleCrypto, kept: KeptKeys): DeviceKeys {
  const signer: SlowSigner = {
    publicKey: kept.signPublic,
    sign: async (message) => new Uint8Array(await subtle.sign('Ed25519', kept.sign, new Uint8Array(message))),
  };
  const agreement: Agreement = {
    publicKey: kept.boxPublic,
    async agree(publicKey) {
      try {
        const other = await subtle.importKey('raw', new Uint8Array(publicKey), 'X25519', false, []);
        return new Uint8Array(await subtle.deriveBits({ name: 'X25519', public: other }, kept.box, 256));
      } catch {
        // A public key of small order, or of another length: there is no secret to share.
        return undefined;
      }
    },
  };
  return { signer, agreement, kept };
}

function isKept(kept: unknown): kept is KeptKeys {
  return typeof kept === 'object' && kept !== null && 'type' in kept && kept.type === 'webcrypto';
}
