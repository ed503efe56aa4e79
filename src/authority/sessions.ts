import { CountersignError } from '../base/errors.ts';
import type { SessionHello } from '../model/agent-port.ts';
import { ID_BYTES, sessionId, type SessionId } from '../model/ids.ts';
import type { Core } from './core.ts';
import type { Session } from './session.ts';

/** UTF-16 units of a name a client gives itself: shown to people, kept for ever. */
const NAME_CHARS_MAX = 200;

/**
 * The session a connection belongs to (CP-4): the one of its name, else of its transport's id, else the newest of
 * that client without an open connection, else a new one.
 */
export async function openSession(core: Core, hello: SessionHello): Promise<Session> {
  for (const text of [hello.name ?? '', hello.client.name, hello.transportId ?? '']) {
    if (text.length > NAME_CHARS_MAX)
      throw new CountersignError('bad-input', `A session's names have ${NAME_CHARS_MAX} characters at most.`);
  }
  const session = known(core, hello) ?? create(core, hello);
  // In quarantine nothing can be stored, and an agent may still read.
  if (core.options.journal.health.state !== 'quarantined') await core.commit();
  session.connections += 1;
  core.watch.session(session.record.id);
  return session;
}

function known(core: Core, hello: SessionHello): Session | undefined {
  const named = hello.name === null ? hello.transportId && `transport:${hello.transportId}` : `name:${hello.name}`;
  if (named !== null && named !== '') return find(core, `session:${named}`);
  const newest = find(core, clientKey(hello));
  return newest?.connections === 0 ? newest : undefined;
}

function find(core: Core, key: string): Session | undefined {
  // reason: written by `create` only
  const id = core.store.record('meta', key) as SessionId | undefined;
  return id === undefined ? undefined : core.session(id);
}

function create(core: Core, hello: SessionHello): Session {
  const id = sessionId(core.random.bytes(ID_BYTES));
  const session = core.state.addSession({
    v: 1,
    id,
    root: id,
    name: hello.name,
    client: `${hello.client.name} ${hello.client.version}`.trim(),
    host: hello.host,
    openedAtMs: core.nowMs(),
    turn: 1,
    rejections: false,
  });
  core.saveSession(session.record);
  core.store.stage({
    kind: 'session-opened',
    session: id,
    root: id,
    client: session.record.client,
    host: hello.host,
    level: 'advisory',
  });
  core.store.put('meta', clientKey(hello), 0, false, id);
  if (hello.name !== null) core.store.put('meta', `session:name:${hello.name}`, 0, false, id);
  if (hello.transportId !== null) core.store.put('meta', `session:transport:${hello.transportId}`, 0, false, id);
  return session;
}

function clientKey(hello: SessionHello): string {
  return `session:client:${hello.client.name}`;
}
