import type { ActionDetail, OwnerPort, QueueRow, StandingView, WorkspaceStatus } from '../../model/owner-port.ts';
import type { ActionState } from '../../model/action.ts';
import type { ActionId, Digest, WorkspaceId } from '../../model/ids.ts';
import type { SignedText } from '../../model/signed-text.ts';
import type { Submit } from '../device/cli-device.ts';
import type { StateFolder } from '../state/folder.ts';

/** One workspace as a command sees it: through the running home, or read from its journal while none runs. */
export interface Source {
  readonly folder: StateFolder;
  readonly workspace: WorkspaceId;
  readonly root: string;
  readonly sessions: WorkspaceStatus['sessions'];
  queue(options: { readonly all: boolean }): Promise<readonly QueueRow[]>;
  show(id: ActionId): Promise<ActionDetail>;
  /** What everything moved under at once, as it is now (GM-4). */
  moved(): Promise<WorkspaceStatus['moved']>;
  /** What people have set, and what they can set. */
  standing(): Promise<StandingView>;
  blob(hash: Digest): Promise<Uint8Array>;
  /** The runtime's newest word on its log: what the person who decides now can have seen (DC-5). */
  heartbeat(): Promise<SignedText>;
  /** `null` while no home runs. */
  readonly runtime: Runtime | null;
  close(): Promise<void>;
}

export interface Runtime {
  readonly submit: Submit;
  waitForChange(known: Readonly<Record<string, ActionState>>, timeoutMs: number): Promise<readonly QueueRow[]>;
}

export function liveSource(port: OwnerPort, at: Pick<Source, 'folder' | 'workspace' | 'root' | 'sessions'>): Source {
  const { workspace } = at;
  return {
    ...at,
    queue: ({ all }) => port.queue({ workspace, all }),
    show: (id) => port.show({ workspace, id }),
    moved: async () => (await port.status()).workspaces.find(({ id }) => id === workspace)?.moved ?? null,
    standing: () => port.standing({ workspace }),
    blob: async (hash) => new Uint8Array(Buffer.from((await port.blob({ workspace, hash })).base64, 'base64')),
    heartbeat: () => port.heartbeat({ workspace }),
    runtime: {
      submit: (request) => port.decide(request),
      waitForChange: (known, timeoutMs) => port.waitForChange({ workspace, known, timeoutMs }),
    },
    close: () => port.close(),
  };
}
