import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { WebsocketProvider } from 'y-websocket';
import * as Y from 'yjs';
import { openSqliteStore } from '../../sync-server/relay.ts';
import { relayLab, type RelayLab } from '../support/relay-lab.ts';
import { family, protocolsFor, type Person } from '../support/relay-people.ts';
import { tempDir } from '../support/temp-dir.ts';

const TOKEN = 'a-token-of-twenty-two-chars';

/** The provider as it comes from the registry. */
function provider(lab: RelayLab, room: string, doc: Y.Doc, protocols: readonly string[] = []): WebsocketProvider {
  const made = new WebsocketProvider(lab.origin, room, doc, {
    disableBc: true,
    protocols: [...protocols],
    // reason: the constructor of `ws` has the shape of a browser's, but for events that the provider does not use
    WebSocketPolyfill: WebSocket as unknown as typeof globalThis.WebSocket,
  });
  onTestFinished(() => {
    made.destroy();
    doc.destroy();
  });
  return made;
}

async function synced(made: WebsocketProvider): Promise<void> {
  if (!made.synced) await new Promise<void>((resolve) => made.once('sync', () => resolve()));
}

async function changed(doc: Y.Doc, is: () => boolean): Promise<void> {
  while (!is()) await new Promise<void>((resolve) => doc.once('update', () => resolve()));
}

describe('the relay and the unmodified y-websocket provider', () => {
  test('two clients without a token see each other’s changes and presence where the relay is open', async () => {
    const lab = await relayLab({ store: await openSqliteStore(await tempDir()) });
    const [a, b] = [new Y.Doc(), new Y.Doc()];
    a.getText('t').insert(0, 'before ');
    const [pa, pb] = [provider(lab, 'notes/one', a), provider(lab, 'notes/one', b)];
    await Promise.all([synced(pa), synced(pb)]);
    await changed(b, () => b.getText('t').toString() === 'before ');
    b.getText('t').insert(7, 'after');
    await changed(a, () => a.getText('t').toString() === 'before after');
    pa.awareness.setLocalState({ name: 'Ada' });
    while (pb.awareness.getStates().get(a.clientID)?.['name'] !== 'Ada') await heard(pb);
    pa.destroy();
    while (pb.awareness.getStates().has(a.clientID)) await heard(pb);
  });

  test('a token opens the rooms it names, and no other', async () => {
    const tokens = [{ token: TOKEN, nickname: 'notes', rooms: ['notes/*'] }];
    const lab = await relayLab({ admission: { open: false, homes: [], tokens } });
    const [a, b] = [new Y.Doc(), new Y.Doc()];
    const pa = provider(lab, 'notes/one', a, [`token.${TOKEN}`]);
    const pb = provider(lab, 'notes/one', b, [`token.${TOKEN}`]);
    await Promise.all([synced(pa), synced(pb)]);
    a.getMap('m').set('k', 1);
    await changed(b, () => b.getMap('m').get('k') === 1);
    const closeOf = async (room: string, protocols: readonly string[]): Promise<number | undefined> => {
      const made = provider(lab, room, new Y.Doc(), protocols);
      return new Promise((resolve) => made.once('closed', ({ code }: { code: number }) => resolve(code)));
    };
    expect(await closeOf('other', [`token.${TOKEN}`])).toBe(4403);
    expect(await closeOf('notes/one', ['token.wrong-token-of-22-characters'])).toBe(4401);
    expect(await closeOf('notes/one', [])).toBe(4401);
  });

  test('credentials of ours make it the writer of its inbox and a reader of the ledger', async () => {
    const lab = await relayLab();
    const { devices, home, inbox, rooms } = family(1, 1);
    const [device] = devices;
    if (device === undefined) throw new Error('no device');
    // A stock client asks with its credentials alone: then it is sent nothing it does not know.
    const words = async (who: Person, room: string): Promise<readonly string[]> =>
      (await protocolsFor(who, room, lab.origin)).filter((word) => word.startsWith('auth.'));
    const [own, ledger, published] = [new Y.Doc(), new Y.Doc(), new Y.Doc()];
    const writer = provider(lab, rooms.ledger, published, await words(home, rooms.ledger));
    const reader = provider(lab, rooms.ledger, ledger, await words(device, rooms.ledger));
    const room = inbox(device);
    const inboxWriter = provider(lab, room, own, await words(device, room));
    await Promise.all([synced(writer), synced(reader), synced(inboxWriter)]);
    published.getArray('records').push([Uint8Array.of(1)]);
    await changed(ledger, () => ledger.getArray('records').length === 1);
    own.getMap('decisions').set('w:1', Uint8Array.of(2));
    const copy = new Y.Doc();
    const homeReader = provider(lab, room, copy, await words(home, room));
    await synced(homeReader);
    await changed(copy, () => copy.getMap('decisions').size === 1);
    const closed = new Promise((resolve) => reader.once('closed', resolve));
    ledger.getArray('records').push([Uint8Array.of(3)]);
    expect(await closed).toMatchObject({ code: 4403, reason: 'This device may not do that in this room.' });
    expect(published.getArray('records').length).toBe(1);
  });
});

async function heard({ awareness }: WebsocketProvider): Promise<void> {
  await new Promise<void>((resolve) => {
    const once = (): void => {
      awareness.off('update', once);
      resolve();
    };
    awareness.on('update', once);
  });
}
