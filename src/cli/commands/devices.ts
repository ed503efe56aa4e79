import { CountersignError } from '../../base/errors.ts';
import { RIGHTS } from '../../model/decision.ts';
import { display } from '../../model/display.ts';
import type { DeviceId } from '../../model/ids.ts';
import type { DeviceRow, OwnerPort } from '../../model/owner-port.ts';
import { UsageError } from '../args/usage-error.ts';
import { renderTable, type Column } from '../terminal/table.ts';
import { askRunningHome } from './ask-home.ts';
import type { Invocation, Run } from './command.ts';
import { stateDir } from './home-at.ts';
import { screenOf } from './screen.ts';

/** Letters a shortened id needs, prefix included: fewer would be a guess. */
const PREFIX_MIN = 6;

/** Lists the devices that may decide, takes one out, or changes what one may do. */
export const run: Run = async (invocation) => {
  const [verb, ref, right, more] = invocation.args.positionals;
  const ask = askFor(verb, { ref, right, more });
  const rows = await askRunningHome(stateDir(invocation), ask);
  const { args, io } = invocation;
  if (args.flag('json')) for (const row of rows) io.out(JSON.stringify(row));
  else if (verb === 'ls') for (const line of linesOf(rows, invocation)) io.out(line);
  else for (const row of rows) io.out(changed(row));
  return 0;
};

type Ask = (port: OwnerPort) => Promise<readonly DeviceRow[]>;

function askFor(
  verb: string | undefined,
  {
    more,
    ref,
    right,
  }: { readonly ref: string | undefined; readonly right: string | undefined; readonly more: string | undefined },
): Ask {
  if (verb === 'ls' && ref === undefined) return (port) => port.devices();
  if (verb === 'revoke' && ref !== undefined && right === undefined)
    return async (port) => [await port.revokeDevice({ device: await find(port, ref) })];
  if (verb === 'rights' && ref !== undefined && right !== undefined && more === undefined) {
    const word = RIGHTS.find((candidate) => candidate === right);
    if (word === undefined)
      throw new UsageError(`a right is one of ${RIGHTS.join(', ')}, not ${JSON.stringify(right)}`);
    return async (port) => [await port.setDeviceRight({ device: await find(port, ref), right: word })];
  }
  throw new UsageError('devices knows: ls, revoke ID, rights ID RIGHT (see: countersign help devices)');
}

/** The device a person named, by its id or the beginning of one. Throws: `not-found`. */
async function find(port: OwnerPort, ref: string): Promise<DeviceId> {
  const found = (await port.devices()).filter(
    ({ id }) => id === ref || (ref.length >= PREFIX_MIN && id.startsWith(ref)),
  );
  const [first, second] = found;
  const quoted = JSON.stringify(ref.slice(0, 60));
  if (first === undefined)
    throw new CountersignError('not-found', `There is no device ${quoted}; see: countersign devices ls`);
  if (second !== undefined)
    throw new CountersignError('not-found', `${quoted} fits more than one device; give more of it.`);
  return first.id;
}

const COLUMNS: readonly Column[] = [
  { header: 'DEVICE', dropOrder: 0 },
  { header: 'NAME', widthMin: 8, dropOrder: 0 },
  { header: 'MAY', dropOrder: 0 },
  { header: 'ONLINE', dropOrder: 1 },
];

function linesOf(rows: readonly DeviceRow[], { io }: Invocation): readonly string[] {
  const cells = rows.map(({ id, nickname, online, right, self }) => [
    { text: id },
    { text: `${nameOf(nickname)}${self ? ' (this one)' : ''}` },
    { text: right },
    { text: online === null ? '' : online ? 'yes' : 'no' },
  ]);
  const { header, rows: lines } = renderTable(COLUMNS, cells, screenOf(io));
  return [header, ...lines];
}

function changed({ id, nickname, revoked, right }: DeviceRow): string {
  const name = `${nameOf(nickname)} (${id})`;
  return revoked
    ? `${name} is revoked: its approvals that have not begun are dropped, its rejects stay.`
    : `${name} has the right ${right} now.`;
}

function nameOf(nickname: string): string {
  return display(nickname, { maxChars: 40 }).text;
}
