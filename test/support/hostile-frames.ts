/** Between the head of an HTTP message and what follows it. */
const HEAD_END = Buffer.from('\r\n\r\n');
const MASKED = 0x80;

/**
 * One direction of a connection as text and bytes that can be searched: HTTP as it came; after an upgrade the payloads
 * of the WebSocket frames, the mask of a client's frames taken off.
 */
export function unmasked(chunks: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat(chunks);
  const head = bytes.subarray(0, Math.max(0, bytes.indexOf(HEAD_END)));
  const text = head.toString('latin1');
  if (!/^(?:upgrade|sec-websocket-accept):/im.test(text)) return bytes;
  // What is compressed cannot be searched: a proof over it would prove nothing.
  if (/^sec-websocket-accept:/im.test(text) && /^sec-websocket-extensions:/im.test(text))
    throw new Error('the frames of this connection are compressed');
  const parts: Buffer[] = [head];
  let rest: Buffer = bytes.subarray(head.length + HEAD_END.length);
  for (;;) {
    const frame = firstFrame(rest);
    if (frame === undefined) return Buffer.concat([...parts, rest]);
    parts.push(frame.payload);
    rest = rest.subarray(frame.length);
  }
}

/** RFC 6455 §5.2; `undefined` when the frame is not whole. */
function firstFrame(bytes: Buffer): { readonly payload: Buffer; readonly length: number } | undefined {
  if (bytes.length < 2) return undefined;
  const second = bytes.readUInt8(1);
  const short = second & 0x7f;
  const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
  const maskAt = 2 + lengthBytes;
  const payloadAt = maskAt + ((second & MASKED) === 0 ? 0 : 4);
  if (bytes.length < payloadAt) return undefined;
  const size = lengthBytes === 0 ? short : lengthBytes === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  if (bytes.length < payloadAt + size) return undefined;
  const payload = Buffer.from(bytes.subarray(payloadAt, payloadAt + size));
  if (payloadAt > maskAt)
    for (let i = 0; i < size; i++) payload[i] = (payload[i] ?? 0) ^ (bytes[maskAt + (i % 4)] ?? 0);
  return { payload, length: payloadAt + size };
}
