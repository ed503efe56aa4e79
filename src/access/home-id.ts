import type { Sha256 } from '../crypto/ports.ts';
import { deviceId, homeId, type DeviceId, type HomeId } from '../model/ids.ts';

/** A home's id is the hash of its key: who holds the key is the home, and nobody else can be. */
export function homeIdOf(sha256: Sha256, publicKey: Uint8Array): HomeId {
  return homeId(sha256(publicKey));
}

/** A device's id is the hash of its key. */
export function deviceIdOf(sha256: Sha256, publicKey: Uint8Array): DeviceId {
  return deviceId(sha256(publicKey));
}
