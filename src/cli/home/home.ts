import { CountersignError, messageOf } from '../../base/errors.ts';
import { VERSION } from '../../base/version.ts';
import type { Authority } from '../../authority/authority.ts';
import type { RosterPort } from '../../authority/options.ts';
import { Mutex } from '../../base/mutex.ts';
import type { Clock } from '../../base/clock.ts';
import { nodeCrypto, nodeRandom } from '../../crypto/node.ts';
import type { Signer } from '../../crypto/ports.ts';
import type { AgentPort, SessionHello } from '../../model/agent-port.ts';
import type { HomeStatus, OwnerPort, WorkspaceStatus } from '../../model/owner-port.ts';
import { leaveQuarantine } from '../../journal/sqlite/leave-quarantine.ts';
import type { HomeId, WorkspaceId } from '../../model/ids.ts';
import type { CliDevice } from '../device/cli-device.ts';
import { contains, nesting } from '../state/containment.ts';
import type { StateFolder } from '../state/folder.ts';
import { identify, type FolderIdentity } from '../state/workspace-place.ts';
import type { Enrolled, EnrolRequest } from '../http/enrol.ts';
import { panelOrigin } from '../http/request.ts';
import { cappedRoster } from './capped-roster.ts';
import { guardAgain, guardWorkspace, type Guarded, type GuardOptions } from './guard-workspace.ts';
import type { PacksAt } from './surface-packs.ts';
import type { HomeBook } from './home-book.ts';
import type { Authorities, HomeSync } from './home-sync.ts';
import { HomeDevices } from './home-devices.ts';

export interface HomeParts {
  /** Where agents, panels and the embedded relay are reached. */
  readonly port: number;
  readonly sync: HomeSync;
  readonly folder: StateFolder;
  readonly book: HomeBook;
  readonly signer: Signer;
  readonly device: CliDevice;
  readonly clock: Clock;
  readonly packs: PacksAt;
  /** A line for the person who runs the home. */
  readonly log: (line: string) => void;
  /** The process must end at once (EF-5). */
  readonly onFatal: (error: unknown) => void;
  /** Asked for through the owner door. */
  readonly onDown: () => void;
}

/** One person's runtime: the folders it guards, and what its two doors can ask of them. */
export class Home {
  readonly #parts: HomeParts;
  readonly #devices: HomeDevices;
  readonly #guarded = new Map<WorkspaceId, Guarded>();
  /** Folders are opened one after the other, so that two questions for one folder meet. */
  readonly #opening = new Mutex();
  #stopping = false;

  constructor(parts: HomeParts) {
    this.#parts = parts;
    const { book, device, port, signer, sync } = parts;
    this.#devices = new HomeDevices({
      book,
      homeKey: signer.publicKey,
      crypto: nodeCrypto,
      random: nodeRandom,
      self: device.id,
      port,
      relayUrl: sync.relayUrl,
      sessions: () => this.#sessions(),
      online: (id) => sync.online(id),
    });
  }

  get id(): HomeId {
    return this.#parts.book.id;
  }

  /** What devices decide goes to whoever rules over it. */
  authorities(): Authorities {
    return {
      at: (workspace) => this.#guarded.get(workspace)?.authority,
      all: () => [...this.#guarded.values()].map(({ authority }) => authority),
    };
  }

  /** Starts guarding a folder, or answers the workspace that already does. */
  openWorkspace(wish: {
    readonly dir: string;
    readonly adopt: boolean;
    readonly exclusive: boolean;
  }): Promise<WorkspaceStatus> {
    return this.#opening.run(async () => {
      if (this.#stopping) throw new CountersignError('closed', 'This home is ending.');
      const found = await identify(wish.dir);
      const known = this.#sameFolder(found);
      if (known !== undefined) return statusOf(known);
      this.#refuseNested(found);
      const guarded = await guardWorkspace(this.#guardOptions(), found, wish);
      this.#guarded.set(guarded.record.id, guarded);
      this.#parts.sync.joined(guarded.authority);
      return statusOf(guarded);
    });
  }

  /** Has a workspace go on from what its database holds (EF-7); where that cannot be, it stays in quarantine. */
  leaveQuarantine(workspace: WorkspaceId): Promise<WorkspaceStatus> {
    return this.#opening.run(async () => {
      this.#devices.checkMayLeaveQuarantine();
      const guarded = this.#guarded.get(workspace);
      if (guarded === undefined || guarded.authority.status().quarantine === null)
        throw new CountersignError('denied', 'This workspace is in no quarantine.');
      await guarded.authority.stop();
      this.#guarded.delete(workspace);
      let refused: unknown;
      try {
        leaveQuarantine({ dir: this.#parts.folder.workspace(workspace) });
      } catch (error) {
        if (!CountersignError.is(error)) throw error;
        refused = error;
      }
      const again = await guardAgain(this.#guardOptions(), guarded);
      this.#guarded.set(workspace, again);
      this.#parts.sync.joined(again.authority);
      if (refused !== undefined) throw refused;
      return statusOf(again);
    });
  }

  status(): HomeStatus {
    return {
      homeId: this.#parts.book.id,
      pid: process.pid,
      version: VERSION,
      stateDir: this.#parts.folder.dir,
      mcpUrl: `http://127.0.0.1:${this.#parts.port}/mcp`,
      panelUrl: `${panelOrigin(this.#parts.port)}/`,
      relayUrl: this.#parts.sync.relayUrl,
      relay: this.#parts.sync.status(),
      workspaces: [...this.#guarded.values()].map(statusOf),
    };
  }

  /** What the owner's programs may ask, as their door offers it. */
  ownerPort(): OwnerPort {
    const at = (workspace: WorkspaceId): Authority => this.#at(workspace);
    return {
      status: async () => this.status(),
      openWorkspace: (wish) => this.openWorkspace(wish),
      queue: async ({ workspace, all }) => at(workspace).queue({ all }),
      show: async ({ workspace, id }) => at(workspace).show(id),
      blob: async ({ workspace, hash }) => ({ base64: Buffer.from(at(workspace).blob(hash)).toString('base64') }),
      heartbeat: async ({ workspace }) => at(workspace).heartbeat(),
      decide: async ({ workspace, decisions }) => at(workspace).decide(decisions),
      standing: async ({ workspace }) => at(workspace).standing(),
      waitForChange: async ({ workspace, ...request }) => at(workspace).waitForChange(request),
      panelLink: async ({ by }) => this.#devices.link(by),
      devices: async () => this.#devices.list(),
      revokeDevice: ({ device }) => this.#devices.revoke(device),
      setDeviceRight: ({ device, right }) => this.#devices.setRight(device, right),
      quarantine: async ({ workspace }) => at(workspace).quarantine(),
      leaveQuarantine: ({ workspace }) => this.leaveQuarantine(workspace),
      down: async () => {
        this.#parts.clock.after(0, () => this.#parts.onDown());
        return { pid: process.pid };
      },
      close: async () => undefined,
    };
  }

  /** A browser of this machine becomes a device, by a link that was printed. */
  async enrol(asked: EnrolRequest): Promise<Enrolled> {
    if (this.#stopping) throw new CountersignError('closed', 'This home is ending.');
    const enrolled = await this.#devices.enrol(asked);
    // A device that is told of a head which the relay has not got would take the relay for one that went back.
    await this.#parts.sync.shown();
    return enrolled;
  }

  isMember(device: string): boolean {
    return this.#devices.isMember(device);
  }

  /** Opens an agent's session in the workspace around its folder (DC-10: nothing else can be asked there). */
  async agent(hello: SessionHello): Promise<AgentPort> {
    const { path } = await identify(hello.workspaceDir);
    const inside = [...this.#guarded.values()].find(({ record }) => contains(record.path, path));
    if (inside === undefined) {
      throw new CountersignError(
        'not-found',
        `No workspace is guarded at ${path}; run: countersign up --workspace ${path}`,
      );
    }
    return inside.authority.agent(hello);
  }

  get agentsConnected(): boolean {
    return this.#sessions().live;
  }

  /** True while something approved is still to be applied. */
  get draining(): boolean {
    return [...this.#guarded.values()].some(({ authority }) =>
      authority
        .queue({ all: false })
        .some(({ state }) => state === 'approved' || state === 'applying' || state === 'reverting'),
    );
  }

  /** Finishes what is in flight, then lets go of every folder. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#opening.run(async () => {
      await Promise.all([...this.#guarded.values()].map(({ authority }) => authority.stop()));
      await this.#parts.book.tellNews();
      await this.#parts.sync.end();
      await this.#parts.book.close();
      await Promise.all([...this.#guarded.values()].map(({ lock }) => lock.release()));
      this.#guarded.clear();
    });
  }

  /** What was decided while no home ran comes before anything drains (DC-6): by the command line, and by every device. */
  async #takeSaved(workspace: WorkspaceId, authority: Authority): Promise<void> {
    await this.#takeOutbox(workspace, authority);
    await this.#parts.sync.takeInboxes(authority);
  }

  async #takeOutbox(workspace: WorkspaceId, authority: Authority): Promise<void> {
    const { device, log } = this.#parts;
    try {
      const turnedAway = await device.deliver(workspace, ({ decisions }) => authority.decide(decisions));
      for (const [n, why] of turnedAway) log(`Saved decision ${n} was turned away: ${why}`);
    } catch (error) {
      // A full disk takes no decision: they stay saved.
      if (!CountersignError.is(error) || error.effect !== 'none') throw error;
      log(`Saved decisions wait: ${error.message}`);
    }
  }

  #sessions(): { readonly live: boolean; readonly uncontained: boolean } {
    const live = [...this.#guarded.values()]
      .flatMap(({ authority }) => authority.status().sessions)
      .filter(({ connected }) => connected);
    return { live: live.length > 0, uncontained: live.some(({ level }) => level !== 'contained') };
  }

  #at(workspace: WorkspaceId): Authority {
    const guarded = this.#guarded.get(workspace);
    if (guarded === undefined) throw new CountersignError('not-found', 'This home does not guard that workspace now.');
    return guarded.authority;
  }

  #guardOptions(): GuardOptions {
    return {
      ...this.#parts,
      roster: (authority) => this.#roster(authority),
      outlet: this.#parts.sync.outlet,
      onAlarm: (text) => this.#parts.log(text),
      takeSaved: (workspace, authority) => this.#takeSaved(workspace, authority),
    };
  }

  #sameFolder(found: FolderIdentity): Guarded | undefined {
    return [...this.#guarded.values()].find(
      ({ record }) => record.path === found.path || (record.dev === found.dev && record.ino === found.ino),
    );
  }

  #refuseNested(found: FolderIdentity): void {
    for (const { record } of this.#guarded.values()) {
      const way = nesting(found.path, record.path);
      if (way === undefined) continue;
      throw new CountersignError(
        'held-elsewhere',
        `${found.path} lies ${way} ${record.path}, which is already guarded.`,
      );
    }
  }

  #roster(authority: () => Authority | undefined): RosterPort {
    const uncontained = (): boolean =>
      authority()
        ?.status()
        .sessions.some(({ connected, level }) => connected && level !== 'contained') ?? false;
    return cappedRoster(this.#parts.book, this.#parts.device.id, uncontained);
  }
}

/** What a home says when it must end at once: what is on disk is not known any more (EF-5), or this is a bug. */
export function lastWords(error: unknown): string {
  if (CountersignError.is(error))
    return `Countersign stops, because it is not known what reached the disk: ${error.message}`;
  const stack = error instanceof Error ? error.stack : undefined;
  return `Countersign stops: this is a bug, please report it. ${stack ?? messageOf(error)}`;
}

function statusOf({ record, authority }: Guarded): WorkspaceStatus {
  return { id: record.id, root: record.path, ...authority.status() };
}
