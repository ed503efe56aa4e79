import type { Inbox } from '../../../src/authority/publish/inbox-intake.ts';
import type { Outlet } from '../../../src/authority/publish/outlet.ts';
import { HomeLink } from '../../../src/cli/home/home-link.ts';
import { Inboxes } from '../../../src/cli/home/inboxes.ts';
import type { DeviceId } from '../../../src/model/ids.ts';
import type { SignedText } from '../../../src/model/signed-text.ts';
import { parseRoomName } from '../../../src/sync/room.ts';
import type { Dice, Household, SimTime } from '../contract.ts';
import { SimClient } from './client.ts';
import { Heads } from './heads.ts';
import type { SimRelay } from './relay.ts';

interface Life {
  readonly owner: string;
  readonly client: SimClient;
  readonly link: HomeLink;
  readonly inboxes: Inboxes;
}

export interface SimHomeOptions {
  readonly relay: SimRelay;
  readonly household: Household;
  readonly time: SimTime;
  readonly dice: Dice;
  readonly onFault: (thrown: unknown) => void;
  /** Everything the authority hands over, at that moment. */
  readonly onHanded: (room: string, bytes: Uint8Array, what: 'open' | 'update') => void;
}

/** The home's side of the relay: the real link and inboxes, a new pair for every life of the process. */
export class SimHome {
  readonly outlet: Outlet;
  readonly #options: SimHomeOptions;
  readonly #heads: Heads;
  #newest: SignedText | undefined;
  #making: Promise<void> = Promise.resolve();
  #life: Life | undefined;
  #lives = 0;
  #take: ((device: DeviceId, inbox: Inbox) => Promise<void>) | undefined;
  onDamaged: ((room: string) => void) | undefined;
  onForgotten: (() => void) | undefined;

  constructor(options: SimHomeOptions) {
    this.#options = options;
    this.#heads = new Heads(options.household, options.dice.split('heads').random);
    this.outlet = {
      open: (room, state) => {
        options.onHanded(room, state, 'open');
        this.#begin().link.open(room, state);
      },
      update: (room, update) => {
        options.onHanded(room, update, 'update');
        this.#life?.link.update(room, update);
      },
      close: (room) => this.#life?.link.close(room),
      put: (path, read) => this.#begin().link.put(path, read),
      beat: (room, heartbeat) => this.#life?.link.beat(room, heartbeat),
    };
  }

  get headsSigned(): number {
    return this.#heads.number;
  }

  get client(): SimClient | undefined {
    return this.#life?.client;
  }

  /** `undefined`: the process died, and what it had not sent is lost. */
  onDecisions(take: ((device: DeviceId, inbox: Inbox) => Promise<void>) | undefined): void {
    this.#take = take;
    if (take === undefined) this.#end();
    else for (const [device, inbox] of this.#begin().inboxes.readers()) void take(device, inbox);
  }

  /** Signs a new head; it is shown while the process lives, and by the next life otherwise. */
  headChanged(): void {
    const before = this.#making;
    this.#making = (async () => {
      await before;
      this.#newest = await this.#heads.next(this.#options.time.nowMs());
      this.#life?.link.head(this.#newest);
      if (this.#life !== undefined) this.#follow(this.#life);
    })();
    this.#making.catch(this.#options.onFault);
  }

  /** Inboxes are read from the beginning, as after a start. */
  readInboxesAgain(): void {
    const life = this.#life;
    if (life === undefined) return;
    life.inboxes.follow([]);
    this.#follow(life);
  }

  #begin(): Life {
    if (this.#life !== undefined) return this.#life;
    const { dice, household, onFault, relay, time } = this.#options;
    this.#lives += 1;
    const owner = `home link ${this.#lives}`;
    const clock = time.clock(owner);
    const { random } = dice.split(owner);
    const client = new SimClient({
      relay,
      name: 'home',
      device: null,
      identity: {
        home: household.home,
        homeKey: household.signer.publicKey,
        grant: null,
        sign: (message) => household.signer.sign(message),
      },
      verify: household.crypto.verify,
      known: undefined,
      clock,
      random,
      onFault,
    });
    const link = new HomeLink({
      client,
      clock,
      random,
      log: () => undefined,
      onDamaged: (name) => this.#damaged(name),
      onForgotten: () => this.onForgotten?.(),
    });
    const inboxes = new Inboxes({
      client,
      home: household.home,
      seal: household.crypto.seal,
      clock,
      onChange: (device) => {
        const reader = inboxes.reader(device);
        if (reader !== undefined) void this.#take?.(device, reader);
      },
    });
    const life = { owner, client, link, inboxes };
    this.#life = life;
    this.#follow(life);
    if (this.#newest !== undefined) link.head(this.#newest);
    else this.headChanged();
    return life;
  }

  #follow({ inboxes }: Life): void {
    const { members } = this.#options.household;
    inboxes.follow(members.flatMap(({ id, revoked }) => (revoked ? [] : [id])));
  }

  #damaged(name: string): void {
    const room = parseRoomName(name);
    if (room.ok && (room.value.kind === 'ledger' || room.value.kind === 'tile')) this.onDamaged?.(name);
  }

  #end(): void {
    const life = this.#life;
    this.#life = undefined;
    if (life === undefined) return;
    life.client.kill();
    this.#options.time.end(life.owner);
  }
}
