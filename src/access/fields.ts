import { parsed, oneOf, whole, wrong, type Reader } from '../base/shape.ts';
import { parseDeviceId, parseDigest, parseHomeId, parseWorkspaceId } from '../model/ids.ts';

/** Readers of the members that many signed records share. */
export const home = parsed(parseHomeId);
export const workspace = parsed(parseWorkspaceId);
export const device = parsed(parseDeviceId);
export const digest = parsed(parseDigest);
export const version1: Reader<1> = oneOf(1);
export const epochMs = whole(0);
export const count = whole(0);
export const ordinal = whole(1);

/** 32 bytes as hexadecimal: the same text form as a digest, and no digest. */
export const publicKey: Reader<string> = (value, at) => {
  if (typeof value !== 'string' || !/^[0-9a-f]{64}$/.test(value)) wrong(at, 'must be 64 lower-case hexadecimal digits');
  return value;
};

/** Bytes as unpadded base64url. */
export function base64url(limits: { readonly charsMax: number }): Reader<string> {
  return (value, at) => {
    if (typeof value !== 'string' || !/^[A-Za-z0-9_-]+$/.test(value)) wrong(at, 'must be base64url');
    if (value.length > limits.charsMax) wrong(at, `may have ${limits.charsMax} characters at most`);
    return value;
  };
}
