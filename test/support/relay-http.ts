/** A request to a relay, with a ticket; its status and its bytes. */
export async function ask(
  http: string,
  path: string,
  options: {
    readonly method?: string;
    readonly ticket?: string | number | undefined;
    readonly body?: Uint8Array | string;
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): Promise<{ readonly status: number; readonly bytes: Uint8Array; readonly text: string; readonly headers: Headers }> {
  const { body, method = 'GET', ticket } = options;
  const type = typeof body === 'string' ? 'application/json' : 'application/octet-stream';
  const answer = await fetch(`${http}${path}`, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': type }),
      ...(typeof ticket === 'string' ? { authorization: `Bearer ${ticket}` } : {}),
      ...options.headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : Uint8Array.from(body) }),
  });
  const bytes = new Uint8Array(await answer.arrayBuffer());
  return { status: answer.status, bytes, text: new TextDecoder().decode(bytes), headers: answer.headers };
}
