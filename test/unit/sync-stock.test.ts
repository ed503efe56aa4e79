import { Awareness } from 'y-protocols/awareness';
import { WebsocketProvider } from 'y-websocket';
import * as Y from 'yjs';
import { expect, test } from 'vitest';
import { dropExitListener, reviveDoc, stopTimer } from '../../src/sync/stock-internals.ts';

/** What we rely on inside of the stock packages. With a new version of them these say what has changed. */

function provider(doc: Y.Doc): WebsocketProvider {
  // reason: it is never connected, so the socket is never made
  return new WebsocketProvider('ws://localhost:1', 'room', doc, {
    connect: false,
    WebSocketPolyfill: Object as never,
  });
}

const timers = (): number => process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length;

test('the provider and its awareness each have one interval, which ends', () => {
  const before = timers();
  const stock = provider(new Y.Doc());
  expect(timers()).toBe(before + 2);
  stopTimer(stock);
  stopTimer(stock.awareness);
  expect(timers()).toBe(before);
  dropExitListener(stock);
});

test('the provider listens to the end of the process once', () => {
  const before = process.listenerCount('exit');
  const stock = provider(new Y.Doc());
  expect(process.listenerCount('exit')).toBe(before + 1);
  dropExitListener(stock);
  expect(process.listenerCount('exit')).toBe(before);
  stopTimer(stock);
  stopTimer(stock.awareness);
});

test('its handlers are its own array, so that ours concern nobody else', () => {
  const [one, other] = [provider(new Y.Doc()), provider(new Y.Doc())];
  expect(one.messageHandlers).not.toBe(other.messageHandlers);
  for (const each of [one, other]) {
    stopTimer(each);
    stopTimer(each.awareness);
    dropExitListener(each);
  }
});

test('a listener of `update` that throws silences a document for good, unless it is revived', () => {
  const heard = (revive: boolean): number => {
    const doc = new Y.Doc();
    let count = 0;
    doc.on('update', () => {
      if (++count === 1) throw new Error('a listener that fails');
    });
    for (let at = 0; at < 5; at++) {
      try {
        doc.getArray('records').push([at]);
      } catch (thrown) {
        expect(thrown).toEqual(new Error('a listener that fails'));
      }
      if (revive) reviveDoc(doc);
    }
    return count;
  };
  expect(heard(false)).toBe(1);
  expect(heard(true)).toBe(5);
});

test('an awareness forgets others after 30 s, which is why ours does not use its clock', () => {
  const awareness = new Awareness(new Y.Doc());
  stopTimer(awareness);
  expect(awareness.getLocalState()).toEqual({});
  expect(awareness.meta.get(awareness.clientID)).toMatchObject({ clock: 0 });
});
