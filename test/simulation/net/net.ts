import type { Inbox } from '../../../src/authority/publish/inbox-intake.ts';
import type { Outlet } from '../../../src/authority/publish/outlet.ts';
import { messageOf } from '../../../src/base/errors.ts';
import type { DeviceId, Digest } from '../../../src/model/ids.ts';
import type { Dice, Net, NetOptions, Person } from '../contract.ts';
import { checkAlways, checkHealed, genuine, isSound, stampOf, type Checked } from './check.ts';
import type { SimClient } from './client.ts';
import { SimDevice } from './device.ts';
import { SimHome } from './home.ts';
import { HostileRelay } from './hostile-relay.ts';
import { HostileReplica } from './hostile-replica.ts';
import { SimLink } from './link.ts';
import { Observer } from './observer.ts';
import { personAt } from './person.ts';
import { SimRelay } from './relay.ts';
import { lifeTrouble, networkTrouble, type Trouble, type Troubled } from './trouble.ts';
import { Truth, type Rows } from './truth.ts';

export interface SimNetOptions extends NetOptions {
  /** What is durable, where the net's own invariants may be held against it. */
  readonly journal?: () => Rows | undefined;
}

type Pick = (n: number) => number;

/** Something that can happen now: a message of a link, a request, a pushed head, a link that connects again. */
type Enabled =
  | { readonly at: SimLink; readonly what: 'up' | 'down' | 'connect' }
  | { readonly at: SimClient; readonly what: 'asked' | 'pushed' };

const DAY_MS = 86_400_000;
/** In a hundred steps of the network, those that are trouble, where there is any; a relay that means harm makes more. */
const TROUBLE_PERCENT = 6;
const HOSTILE_TROUBLE_PERCENT = 14;
const YEARS_MAX = 10;

/** Relay, home link, devices and who means harm, in one process; nothing moves but by `step`, timers and people. */
export class SimNet implements Net {
  readonly outlet: Outlet;
  readonly people: readonly Person[];
  readonly forged = new Set<Digest>();
  readonly relay: SimRelay;
  readonly devices: readonly SimDevice[];
  readonly #options: SimNetOptions;
  readonly #home: SimHome;
  readonly #truth: Truth;
  readonly #observer: Observer;
  readonly #hostileRelay: HostileRelay | undefined;
  readonly #hostileReplica: HostileReplica | undefined;
  readonly #troubled: Troubled;
  readonly #faults: unknown[] = [];
  #healed = false;
  /** The stamp of what was found sound last. */
  #soundAt: string | undefined;

  constructor(options: SimNetOptions) {
    const { dice, household, rates, time } = options;
    this.#options = options;
    this.relay = new SimRelay(household.home);
    this.#truth = new Truth(() => options.journal?.());
    this.#observer = new Observer(household, this.#truth);
    this.#home = new SimHome({
      relay: this.relay,
      household,
      time,
      dice: dice.split('home'),
      onFault: (thrown) => void this.#faults.push(thrown),
      onHanded: (room, bytes, what) => this.#observer.handed(room, bytes, what),
    });
    this.outlet = this.#home.outlet;
    const hostile = rates.hostileReplica && household.members.length > 1 ? household.members.at(-1) : undefined;
    const lives = dice.split('lives');
    this.devices = household.members
      .filter((member) => member !== hostile)
      .map(
        (member, at) =>
          new SimDevice({
            at,
            member,
            household,
            relay: this.relay,
            time,
            dice,
            clockErrorMs: rates.clocks ? errorOf(dice.split(`clock ${at}`)) : 0,
            hasCache: lives.chance(50),
          }),
      );
    this.people = this.devices.map((device) => personAt(device, household));
    const { relay } = this;
    this.#hostileRelay = rates.hostileRelay ? new HostileRelay(relay, dice.split('hostile relay').random) : undefined;
    this.#hostileReplica =
      hostile &&
      new HostileReplica({
        member: hostile,
        household,
        relay,
        dice: dice.split('hostile replica'),
        people: this.people,
        relayHelps: rates.hostileRelay,
        forged: this.forged,
      });
    this.#troubled = {
      relay,
      devices: this.devices,
      household,
      mayWipe: () => this.#home.onForgotten !== undefined,
    };
  }

  async start(): Promise<void> {
    for (const device of this.devices) {
      await device.enrol();
      device.open();
    }
  }

  moves(): number {
    const count = this.#enabled().length;
    return this.#healed || !this.#hasTrouble ? count : count + 1;
  }

  step(pick: Pick): string {
    const percent = this.#hostileRelay === undefined ? TROUBLE_PERCENT : HOSTILE_TROUBLE_PERCENT;
    const trouble = this.#healed || !this.#hasTrouble || pick(100) >= percent ? undefined : this.#trouble(pick);
    if (trouble !== undefined) {
      this.#options.occurred(trouble.name);
      return `${trouble.name} ${trouble.line}`;
    }
    const enabled = this.#enabled();
    const first = enabled[pick(enabled.length)];
    // Who is slow is chosen twice as seldom.
    const chosen = first !== undefined && isSlow(first) ? enabled[pick(enabled.length)] : first;
    return chosen === undefined ? 'nothing moves' : perform(chosen, pick);
  }

  onDecisions(take: ((device: DeviceId, inbox: Inbox) => Promise<void>) | undefined): void {
    this.#home.onDecisions(take);
  }

  householdChanged(): void {
    this.#home.headChanged();
  }

  onDamaged(tell: ((room: string) => void) | undefined): void {
    this.#home.onDamaged = tell;
  }

  onForgotten(tell: (() => void) | undefined): void {
    this.#home.onForgotten = tell;
  }

  heal(): void {
    this.#healed = true;
    for (const client of this.relay.clients) {
      client.blocked = { up: false, down: false };
      client.slow = false;
    }
    for (const device of this.devices) {
      device.come();
      if (device.canOpen && device.windows.size === 0) device.open();
    }
    this.relay.dropAll();
    if (this.#hostileRelay === undefined) for (const { replica } of this.devices) replica?.reconnect();
    else this.#recover(this.#hostileRelay);
  }

  /**
   * What a relay has planted in one reader's copy of a document stands beside the truth there, under the same clocks,
   * until that reader begins with an empty one: a page that is loaded again, a runtime that starts. A person deletes
   * what is wrong at the relay, or takes another relay, which has nothing.
   */
  #recover(relay: HostileRelay): void {
    relay.stop();
    const another = this.#troubled.mayWipe() && this.#options.dice.split('another relay').chance(50);
    this.#options.occurred(another ? 'healed: another relay' : 'healed: unsound rooms deleted');
    if (another) this.relay.wipe();
    else this.relay.dropUnsound();
    for (const device of this.devices) device.reload();
    this.#home.readInboxesAgain();
  }

  check({ final }: { readonly final: boolean }): readonly string[] {
    const { household, rates } = this.#options;
    const checked: Checked = {
      devices: this.devices,
      household,
      truth: this.#truth,
      hostile: rates.hostileReplica,
      hostileRelay: rates.hostileRelay,
      forged: this.forged,
      headsSigned: this.#home.headsSigned,
      published: this.#observer.published,
    };
    return [
      ...this.#faults.map((thrown) => `fault: home: ${messageOf(thrown)}`),
      ...this.#observer.problems,
      ...(final ? checkHealed(checked) : this.#checkAlways(checked)),
    ];
  }

  /** Most steps change nothing of what was told and kept: it is not looked at again. */
  #checkAlways(checked: Checked): readonly string[] {
    // Somebody looks at every page after every step: what it shows is worked out then.
    if (this.#truth.isKnown) for (const { replica } of this.devices) replica?.snapshot();
    const stamp = stampOf(checked);
    if (stamp === this.#soundAt) return genuine(checked);
    if (isSound(checked)) this.#soundAt = stamp;
    return checkAlways(checked);
  }

  close(): void {
    this.#home.onDecisions(undefined);
    for (const device of this.devices) for (const window of device.windows) window.kill();
  }

  get #hasTrouble(): boolean {
    const { faults, hostileRelay, lives } = this.#options.rates;
    return faults || hostileRelay || lives || this.#hostileReplica !== undefined;
  }

  #trouble(pick: Pick): Trouble | undefined {
    const { faults, hostileRelay, lives } = this.#options.rates;
    const kinds: (() => Trouble | undefined)[] = [];
    if (faults) kinds.push(() => named('network', networkTrouble(this.#troubled, pick)));
    if (lives) kinds.push(() => named('device', lifeTrouble(this.#troubled, pick)));
    if (hostileRelay) kinds.push(() => named('hostile relay', this.#hostileRelay?.step(pick)));
    if (this.#hostileReplica !== undefined)
      kinds.push(() => named('hostile replica', this.#hostileReplica?.step(pick)));
    return kinds[pick(kinds.length)]?.();
  }

  #enabled(): readonly Enabled[] {
    const enabled: Enabled[] = [];
    for (const client of this.relay.clients) {
      const { asked, away, blocked, pushed } = client;
      if (asked.length > 0) enabled.push({ at: client, what: 'asked' });
      if (away) continue;
      if (pushed.length > 0 && !blocked.down) enabled.push({ at: client, what: 'pushed' });
      for (const link of client.links) {
        if (link.up.length > 0 && !blocked.up) enabled.push({ at: link, what: 'up' });
        if (link.down.length > 0 && !blocked.down) enabled.push({ at: link, what: 'down' });
        if (link.isWaiting) enabled.push({ at: link, what: 'connect' });
      }
    }
    return enabled;
  }
}

function perform(enabled: Enabled, pick: Pick): string {
  switch (enabled.what) {
    case 'asked':
      return `${enabled.at.name} ${enabled.at.stepAsked(pick(enabled.at.asked.length))}`;
    case 'pushed':
      return `${enabled.at.name} ${enabled.at.stepPushed()}`;
    case 'connect':
      enabled.at.connect();
      return `${nameOf(enabled.at)} connects`;
    case 'up':
      return `${nameOf(enabled.at)} > ${enabled.at.stepUp()}`;
    case 'down':
      return `${nameOf(enabled.at)} < ${enabled.at.stepDown()}`;
  }
}

function nameOf({ client, room }: SimLink): string {
  return `${client.name} ${room.slice(0, 1)}${room.slice(-4)}`;
}

function isSlow(enabled: Enabled): boolean {
  const { at } = enabled;
  return at instanceof SimLink ? at.client.slow : at.slow;
}

function named(who: string, trouble: Trouble | undefined): Trouble | undefined {
  return trouble && { name: `${who}: ${trouble.name}`, line: trouble.line };
}

/** Up to ten years, either way. */
function errorOf(dice: Dice): number {
  return (dice.pick(2 * YEARS_MAX * 365 + 1) - YEARS_MAX * 365) * DAY_MS;
}
