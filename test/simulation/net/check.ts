import { messageOf } from '../../../src/base/errors.ts';
import type { Witnessed } from '../../../src/replica/head/witnesses.ts';
import type { Alarm, WorkspaceView } from '../../../src/replica/types.ts';
import type { Household } from '../contract.ts';
import type { SimDevice } from './device.ts';
import type { Truth } from './truth.ts';

export interface Checked {
  readonly devices: readonly SimDevice[];
  readonly household: Household;
  readonly truth: Truth;
  /** A device has signed two things: that alarm stands until it is removed. */
  readonly hostile: boolean;
  /** A relay that shows an inbox as it was has decisions judged again that were refused once. */
  readonly hostileRelay: boolean;
  readonly forged: ReadonlySet<string>;
  /** Heads that the home has signed so far. */
  readonly headsSigned: number;
  /** Records of actions that the home has published so far, as text. */
  readonly published: ReadonlySet<string>;
}

/** Settled actions of a ledger; older ones are in the log alone. */
const SETTLED_SHOWN = 500;

/** What holds at any moment, whatever the network does. */
export function checkAlways(checked: Checked): readonly string[] {
  return [...told(checked), ...prefixes(checked), ...genuine(checked)];
}

/** Nothing is wrong with what was told and kept for good, and no alarm is what excuses it: so it stays for a stamp. */
export function isSound(checked: Checked): boolean {
  return told(checked).length === 0 && checked.devices.every((device) => otherEnds(checked, device).length === 0);
}

/** While it is the same, so is what was told and kept. */
export function stampOf({ devices, forged, truth }: Checked): string {
  const at = devices.map(({ disk, faults: met }) => `${disk.changes()}/${met.length}`);
  return `${truth.isKnown} ${truth.changes} ${forged.size} ${at.join(' ')}`;
}

function told(checked: Checked): readonly string[] {
  return [...faults(checked), ...receipted(checked), ...refusedRightly(checked), ...counted(checked)];
}

/** What holds once all links are up again and everything has arrived. */
export function checkHealed(checked: Checked): readonly string[] {
  const live = checked.devices.filter((device) => isLive(checked, device));
  return [
    ...checkAlways(checked),
    ...live.flatMap((device) => connected(checked, device)),
    ...live.flatMap((device) => answered(device)),
    ...live.flatMap((device) => converged(checked, device)),
    ...alike(live),
  ];
}

function isLive({ household }: Checked, { isEvicted, member }: SimDevice): boolean {
  return !isEvicted && household.members.some(({ id, revoked }) => id === member.id && !revoked);
}

function faults({ devices }: Checked): readonly string[] {
  return devices.flatMap((device) => device.faults.map((thrown) => `fault: ${device.name}: ${messageOf(thrown)}`));
}

/** 13. What a device was told is received is in the journal. */
function receipted({ devices, truth }: Checked): readonly string[] {
  if (!truth.isKnown) return [];
  return devices.flatMap((device) =>
    [...device.disk.promised].flatMap(([n, { hash, kept }]) =>
      kept === 'receipted' && truth.taken(device.member.id, n)?.hash !== hash
        ? [`13: ${device.name} holds a receipt for ${n}, and the journal has not got it.`]
        : [],
    ),
  );
}

/** DC-6. Nobody is told that a decision was refused which counted in full. */
function refusedRightly({ devices, hostileRelay, truth }: Checked): readonly string[] {
  if (hostileRelay) return [];
  return devices.flatMap((device) =>
    [...device.disk.promised].flatMap(([n, { hash, kept }]) => {
      const taken = truth.taken(device.member.id, n);
      const whole = taken?.hash === hash && taken.results.every(({ result }) => result === 'received');
      return kept === 'refused' && whole
        ? [`DC-6: ${device.name} was told that ${n} was refused, and it counted.`]
        : [];
    }),
  );
}

/** 14. Nothing forged is in the journal, and no number of a device stands for two decisions. */
function counted({ forged, truth }: Checked): readonly string[] {
  const taken = [...truth.allTaken()].flatMap(({ device, dn, hash }) =>
    forged.has(hash) ? [`14: the forged decision ${dn} of ${device.slice(0, 6)} was taken.`] : [],
  );
  return [...taken, ...truth.twice.map((key) => `14: ${key} was taken twice.`)];
}

/** Views that were looked at; each is one immutable value. */
const LOOKED_AT = new WeakSet<WorkspaceView>();

/** 14. A device keeps no head, and shows no action, that its home never signed: not from a relay that means harm, either. */
export function genuine({ devices, headsSigned, hostileRelay, published }: Checked): readonly string[] {
  return hostileRelay
    ? devices.flatMap((device) => [...keptHead(device, headsSigned), ...madeUp(device, published)])
    : [];
}

function keptHead({ disk, name }: SimDevice, headsSigned: number): readonly string[] {
  const number = disk.facts.get('head')?.number ?? 0;
  return number > headsSigned ? [`14: ${name} keeps head ${number}, and the home has signed ${headsSigned}.`] : [];
}

function madeUp({ name, replica }: SimDevice, published: ReadonlySet<string>): readonly string[] {
  const [view] = replica?.snapshot().workspaces ?? [];
  if (view === undefined || LOOKED_AT.has(view)) return [];
  LOOKED_AT.add(view);
  return [...view.open, ...view.settled].flatMap(({ record }) =>
    published.has(JSON.stringify(record)) ? [] : [`14: ${name} shows a #${record.seq} that was never published.`],
  );
}

const HISTORIES_DISAGREE: ReadonlySet<Alarm['kind']> = new Set<Alarm['kind']>(['fork', 'rollback']);

/** 15. What any device has seen signed of the log is a prefix of it, or that device says that something is wrong. */
function prefixes(checked: Checked): readonly string[] {
  return checked.devices.flatMap((device) => {
    const others = otherEnds(checked, device);
    if (others.length === 0) return [];
    const alarms = device.replica?.snapshot().alarms ?? [];
    if (alarms.some(({ kind }) => HISTORIES_DISAGREE.has(kind))) return [];
    return others.map(({ size }) => `15: ${device.name} has seen another log of ${size} entries, and no alarm is up.`);
  });
}

function otherEnds({ household, truth }: Checked, device: SimDevice): readonly Witnessed[] {
  if (!truth.isKnown) return [];
  return witnessedBy(device, household).filter(({ root, size }) => size > 0 && truth.rootAt(size) !== root);
}

function witnessedBy({ disk }: SimDevice, { workspace }: Household): readonly Witnessed[] {
  const fact = disk.facts.get(`witnessed/${workspace}`);
  // reason: written by the replica's own witnesses
  return (fact?.value ?? []) as unknown as readonly Witnessed[];
}

function connected({ hostile }: Checked, device: SimDevice): readonly string[] {
  const snapshot = device.replica?.snapshot();
  if (snapshot === undefined) return [`24: ${device.name} has no window although all is well.`];
  const { alarms, connection, workspaces } = snapshot;
  const problems: string[] = [];
  if (connection.state !== 'online') problems.push(`24: ${device.name} is ${connection.state}.`);
  if (workspaces[0]?.loaded !== 'live')
    problems.push(`24: ${device.name} shows ${workspaces[0]?.loaded ?? 'nothing'}.`);
  for (const { kind, sentence } of alarms)
    if (!(hostile && kind === 'frozen')) problems.push(`15: ${device.name} raises ${kind} for nothing: ${sentence}`);
  return problems;
}

/** 24. Every decision that was saved has a receipt, or a refusal that its person sees. */
function answered(device: SimDevice): readonly string[] {
  return [...device.disk.promised].flatMap(([n, { kept }]) =>
    kept === 'waiting' ? [`24: ${device.name} has no answer to its decision ${n}.`] : [],
  );
}

/** 23. A replica shows what the journal has. */
function converged({ truth }: Checked, device: SimDevice): readonly string[] {
  const [view] = device.replica?.snapshot().workspaces ?? [];
  if (view === undefined || !truth.isKnown) return [];
  const actions = truth.actions();
  const shown = new Map([...view.open, ...view.settled].map(({ record }) => [record.seq, record]));
  const problems: string[] = [];
  for (const [seq, action] of actions) {
    const record = shown.get(seq);
    if (record === undefined && actions.size <= SETTLED_SHOWN) problems.push(`23: ${device.name} lacks #${seq}.`);
    if (record !== undefined && (record.state !== action.state || record.digest !== action.digest))
      problems.push(`23: ${device.name} shows #${seq} ${record.state}, and it is ${action.state}.`);
  }
  for (const seq of shown.keys()) if (!actions.has(seq)) problems.push(`23: ${device.name} shows #${seq} of nowhere.`);
  return problems;
}

/** 23. All replicas show the same. */
function alike(devices: readonly SimDevice[]): readonly string[] {
  const [first, ...others] = devices.flatMap((device) => {
    const [view] = device.replica?.snapshot().workspaces ?? [];
    return view === undefined ? [] : [{ device, text: JSON.stringify(shownBy(view)) }];
  });
  return others.flatMap(({ device, text }) =>
    text === first?.text ? [] : [`23: ${device.name} does not show what ${first?.device.name ?? ''} shows.`],
  );
}

function shownBy({ devices, open, sessions, settled }: WorkspaceView) {
  return {
    actions: [...open, ...settled]
      .map(({ record, waitsFor }) => ({ ...record, waitsFor }))
      .toSorted((a, b) => a.seq - b.seq),
    order: open.map(({ record }) => record.seq),
    sessions: sessions.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    devices: [...devices.keys()].toSorted(),
  };
}
