import type { Leader, OpenBus } from '../ports.ts';

/**
 * Leadership by the Web Locks of an origin. Where there are none (an insecure context) every window leads: the relay
 * lets the newest one write, and what two of them put in the inbox is the same.
 */
export function browserLeader(locks: LockManager | undefined): Leader {
  return {
    ask(name, lead) {
      if (locks === undefined) {
        lead();
        return () => undefined;
      }
      const ended = new AbortController();
      let giveUp = (): void => ended.abort();
      const held = locks.request(name, { signal: ended.signal }, () => {
        lead();
        return new Promise<void>((resolve) => {
          giveUp = resolve;
        });
      });
      // It rejects when it is no longer asked for.
      held.catch(() => undefined);
      return () => giveUp();
    },
  };
}

/** The bus of an origin's windows; a silent one where the browser has none. */
export function browserBus(channel: typeof BroadcastChannel | undefined): OpenBus {
  return (name, hear) => {
    if (channel === undefined) return { tell: () => undefined, close: () => undefined };
    const open = new channel(name);
    open.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (typeof data === 'string') hear(data);
    });
    return {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- reason: a channel has no target but its origin
      tell: (what) => open.postMessage(what),
      close: () => open.close(),
    };
  };
}
