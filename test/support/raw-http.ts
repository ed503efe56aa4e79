import { connect } from 'node:net';

export interface RawRequest {
  readonly method: string;
  readonly target: string;
  /** Sent as they stand, in order, repeats included. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** One HTTP/1.1 request written by hand, so that a header can be missing, wrong or there twice. */
export async function rawHttp(host: string, port: number, request: RawRequest): Promise<RawAnswer> {
  const socket = connect({ host, port });
  const lines = [
    `${request.method} ${request.target} HTTP/1.1`,
    ...request.headers.map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n${request.body}`);
  let text = '';
  socket.setEncoding('utf8');
  for await (const chunk of socket) {
    text += String(chunk);
    if (isWhole(text, request.method)) break;
  }
  socket.destroy();
  const { head, body } = parts(text);
  return { status: Number(head.split(' ')[1]), head, body };
}

function parts(text: string): { readonly head: string; readonly body: string } {
  const end = text.indexOf('\r\n\r\n');
  return end === -1 ? { head: text, body: '' } : { head: text.slice(0, end), body: text.slice(end + 4) };
}

/** True when nothing more can follow; an answer of no stated length is whole when its connection ends. */
function isWhole(text: string, method: string): boolean {
  if (!text.includes('\r\n\r\n')) return false;
  const { head, body } = parts(text);
  if (method === 'HEAD') return true;
  if (/transfer-encoding: chunked/i.test(head)) return body.endsWith('0\r\n\r\n');
  const length = /content-length: (\d+)/i.exec(head)?.[1];
  return length !== undefined && Buffer.byteLength(body) >= Number(length);
}
