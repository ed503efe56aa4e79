import * as Y from 'yjs';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/base/canonical-json.ts';
import { LINK_LIMITS } from '../../src/sync/link-limits.ts';
import { SYNC_LIMITS } from '../../src/sync/messages.ts';
import { ScriptedRelay } from '../support/sync-relay.ts';
import { homeIdentity, LEDGER, SyncLab } from '../support/sync-lab.ts';

/** A home that writes a ledger and a device that reads it, at one relay. */
async function pair(): Promise<{
  home: SyncLab;
  device: SyncLab;
  link: ReturnType<SyncLab['client']['join']>;
  both: (ms: number) => Promise<void>;
  publication: ReturnType<SyncLab['client']['publish']>;
}> {
  const relay = new ScriptedRelay();
  const home = new SyncLab({ identity: homeIdentity, relay });
  const device = new SyncLab({ relay, clock: home.clock });
  const publication = home.client.publish(LEDGER, Y.encodeStateAsUpdate(new Y.Doc()), { onDamaged: () => undefined });
  const link = device.client.join({ room: LEDGER, doc: new Y.Doc(), role: 'reader' });
  await home.settle();
  return { home, device, link, publication, both: (ms) => home.pass(ms, 1000) };
}

const heartbeats = (presences: readonly Json[]): unknown[] =>
  presences.flatMap((value) => (JSON.stringify(value).includes('heartbeat') ? [value] : []));

describe('a heartbeat', () => {
  test('shows to whoever is there and to whoever comes later', async () => {
    const { device, home, link, publication } = await pair();
    publication.present({ heartbeat: { payload: 'p1', signature: 's1' } });
    await home.settle();
    expect(heartbeats(link.presences())).toEqual([{ heartbeat: { payload: 'p1', signature: 's1' } }]);
    const late = device.client.join({ room: LEDGER, doc: new Y.Doc(), role: 'reader' });
    await home.pass(LINK_LIMITS.renewMs, 1000);
    expect(heartbeats(late.presences())).toHaveLength(1);
  });

  test('that is renewed every 15 s does not flicker, also when a renewal is lost', async () => {
    const { both, link, publication, home } = await pair();
    const seen: number[] = [];
    link.subscribePresences((presences) => seen.push(heartbeats(presences).length));
    for (let at = 0; at < 20; at++) {
      publication.present({ heartbeat: { payload: `p${at}`, signature: 's' } });
      // Every fifth is lost on its way.
      if (at % 5 === 4) home.relay.muted = true;
      await both(14_900);
      home.relay.muted = false;
      await both(100);
    }
    expect(new Set(seen)).toEqual(new Set([1]));
  });

  test('is said by its sender alone: nobody passes it on', async () => {
    const { both, home, publication } = await pair();
    const said: number[] = [];
    for (const guest of home.relay.guests) {
      const { onFrame } = guest.far;
      guest.far.onFrame = (frame) => {
        if (frame[0] === 1 && !guest.writer) said.push(frame.length);
        onFrame(frame);
      };
    }
    publication.present({ heartbeat: { payload: 'p'.repeat(100), signature: 's' } });
    await both(LINK_LIMITS.renewMs + 1000);
    // The device's own, once; a heartbeat is larger.
    expect(said).toHaveLength(1);
    expect(said[0]).toBeLessThan(50);
  });

  test('ends when its sender does, and when nothing is heard of it for long', async () => {
    const { both, home, link, publication } = await pair();
    publication.present({ heartbeat: { payload: 'p', signature: 's' } });
    await home.settle();
    publication.close();
    await both(LINK_LIMITS.presenceMsMax + LINK_LIMITS.renewMs);
    expect(heartbeats(link.presences())).toEqual([]);
  });

  test('of the time before is forgotten with the connection', async () => {
    const { device, home, link, publication } = await pair();
    publication.present({ heartbeat: { payload: 'p', signature: 's' } });
    await home.settle();
    device.relay.network.reachable = false;
    device.relay.restart();
    await home.settle();
    expect(link.presences()).toEqual([]);
  });

  test('larger than a relay takes is a mistake of ours', async () => {
    const { publication } = await pair();
    const large = { heartbeat: 'x'.repeat(SYNC_LIMITS.awarenessBytesMax) };
    expect(() => publication.present(large)).toThrow(expect.objectContaining({ code: 'bad-input' }));
  });
});
