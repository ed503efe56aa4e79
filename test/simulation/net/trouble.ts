import type { Household } from '../contract.ts';
import type { SimDevice } from './device.ts';
import type { SimClient } from './client.ts';
import type { SimRelay } from './relay.ts';

type Pick = (n: number) => number;

export interface Troubled {
  readonly relay: SimRelay;
  readonly devices: readonly SimDevice[];
  readonly household: Household;
  /** The home is told when the relay has forgotten it; without that no relay may lose its store. */
  readonly mayWipe: () => boolean;
}

export interface Trouble {
  readonly name: string;
  readonly line: string;
}

/** What the network does to connections by itself. */
export function networkTrouble({ mayWipe, relay }: Troubled, pick: Pick): Trouble | undefined {
  const clients = [...relay.clients];
  const client = clients[pick(clients.length)];
  if (client === undefined) return undefined;
  switch (pick(24)) {
    case 0:
      if (!mayWipe()) return undefined;
      relay.wipe();
      return { name: 'wiped store', line: 'relay' };
    case 1:
      relay.dropAll();
      return { name: 'relay restart', line: 'relay' };
    case 2:
    case 3:
    case 4:
    case 5:
      client.blocked = { up: !client.blocked.up, down: false };
      return { name: 'one-way partition', line: `${client.name} up ${client.blocked.up}` };
    case 6:
    case 7:
    case 8:
    case 9:
      client.blocked = { up: false, down: !client.blocked.down };
      return { name: 'one-way partition', line: `${client.name} down ${client.blocked.down}` };
    case 10:
    case 11:
    case 12:
      client.slow = !client.slow;
      return { name: 'delay', line: client.name };
    case 13:
    case 14:
    case 15:
      return duplicated(client, pick);
    case 16:
    case 17:
      return requestLost(client, pick);
    default:
      client.drop();
      return { name: 'lost connection', line: client.name };
  }
}

/** What becomes of devices and their windows. */
export function lifeTrouble({ devices }: Troubled, pick: Pick): Trouble | undefined {
  const device = devices[pick(devices.length)];
  if (device === undefined) return undefined;
  const windows = [...device.windows];
  const window = windows[pick(windows.length)];
  switch (pick(16)) {
    case 0:
      // One device is always left.
      if (devices.filter(({ isEvicted }) => !isEvicted).length < 2 || device.isEvicted) return undefined;
      void device.evict();
      return { name: 'evicted storage', line: device.name };
    case 1:
      device.cache?.lose();
      return device.cache && { name: 'lost cache', line: device.name };
    case 2:
    case 3:
    case 4:
      if (device.isAway) device.come();
      else device.leave();
      return { name: 'device away', line: `${device.name} ${device.isAway}` };
    case 5:
    case 6:
      void window?.close();
      return window && { name: 'window closed', line: window.name };
    case 7:
    case 8:
      window?.kill();
      return window && { name: 'window killed', line: window.name };
    case 9:
      window?.replica?.reconnect();
      return window && { name: 'person reconnects', line: window.name };
    default:
      if (!device.canOpen) return undefined;
      device.open();
      return { name: 'window opened', line: device.name };
  }
}

/** A message that arrives twice. */
function duplicated(client: SimClient, pick: Pick): Trouble | undefined {
  const links = [...client.links].filter(({ down }) => down.some(({ type }) => type === 'update'));
  const link = links[pick(links.length)];
  const message = link?.down.find(({ type }) => type === 'update');
  if (link === undefined || message === undefined) return undefined;
  link.down.push(message);
  return { name: 'duplicate', line: client.name };
}

function requestLost(client: SimClient, pick: Pick): Trouble | undefined {
  if (client.asked.length === 0) return undefined;
  client.loseAsked(pick(client.asked.length));
  return { name: 'lost request', line: client.name };
}
