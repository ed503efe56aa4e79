import { describe, expect, test } from 'vitest';
import { Awareness, applyAwarenessUpdate, encodeAwarenessUpdate } from 'y-protocols/awareness';
import * as Y from 'yjs';
import { Presence } from '../../../sync-server/presence.ts';
import { saying } from '../../support/relay-lab.ts';

const LIMITS = { awarenessBytesMax: 100, awarenessClientsMax: 2 };
const [ada, adaAgain, bob] = [{ callerName: 'ada' }, { callerName: 'ada' }, { callerName: 'bob' }];

function board(): Presence<{ readonly callerName: string }> {
  return new Presence(LIMITS);
}

describe('presence', () => {
  test('is passed on so that y-protocols reads it, and taken back when its owner leaves', () => {
    const presence = board();
    const theirs = new Awareness(new Y.Doc());
    const mine = new Awareness(new Y.Doc());
    theirs.setLocalState({ name: 'Ada' });
    const said = presence.say(ada, encodeAwarenessUpdate(theirs, [theirs.clientID]));
    if (said.type !== 'said') throw new Error(said.type);
    applyAwarenessUpdate(mine, said.update, null);
    expect(mine.getStates().get(theirs.clientID)).toEqual({ name: 'Ada' });
    const gone = presence.leave(ada);
    applyAwarenessUpdate(mine, gone ?? new Uint8Array(), null);
    expect(mine.getStates().has(theirs.clientID)).toBe(false);
    expect(presence.all()).toBeUndefined();
    for (const each of [theirs, mine]) each.destroy();
  });

  test('a client id is its first caller’s: not another’s, nor anybody’s echo', () => {
    const presence = board();
    expect(presence.say(ada, saying(1, 3, '{}'))).toMatchObject({ news: 1 });
    expect(presence.say(bob, saying(1, 9, '{"forged":1}'))).toMatchObject({ news: 0 });
    expect(presence.say(bob, saying(1, 9, 'null'))).toMatchObject({ news: 0 });
    // What a stock client says again of others leaves them where they are.
    expect(presence.say(adaAgain, saying(1, 3, '{}'))).toMatchObject({ news: 0 });
    expect(presence.leave(bob)).toBeUndefined();
    expect(presence.say(adaAgain, saying(1, 4, '{}'))).toMatchObject({ news: 1 });
    expect(presence.leave(ada)).toBeUndefined();
    expect(presence.leave(adaAgain)).toBeDefined();
  });

  test('an older clock is no news, and neither is leaving twice', () => {
    const presence = board();
    presence.say(ada, saying(1, 3, '{}'));
    expect(presence.say(ada, saying(1, 3, '{"late":1}'))).toMatchObject({ news: 0 });
    expect(presence.say(ada, saying(1, 2, '{}'))).toMatchObject({ news: 0 });
    expect(presence.say(ada, saying(1, 3, 'null'))).toMatchObject({ news: 1 });
    expect(presence.say(ada, saying(1, 4, 'null'))).toMatchObject({ news: 0 });
  });

  test('has bounds, and refuses what would end a stock client', () => {
    const presence = board();
    expect(presence.say(ada, saying(1, 1, `"${'x'.repeat(99)}"`))).toEqual({ type: 'too-large' });
    presence.say(ada, saying(1, 1, '1'));
    presence.say(ada, saying(2, 1, '1'));
    expect(presence.say(ada, saying(3, 1, '1'))).toEqual({ type: 'too-large' });
    for (const json of ['', '{', 'undefined', '{"a":}'])
      expect(presence.say(bob, saying(9, 1, json))).toEqual({ type: 'malformed' });
    for (const bytes of [[], [5], [1, 1], [255, 255, 255, 255, 15], [1, 1, 1, 2, 123, 125, 0]])
      expect(presence.say(bob, Uint8Array.from(bytes))).toEqual({ type: 'malformed' });
  });
});
