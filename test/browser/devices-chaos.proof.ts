import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errors, type Locator, type Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { stdioAgent } from '../support/agent.ts';
import { useBrowsers } from '../support/browser.ts';
import { enrol, homeOnDisk, type HomeOnDisk } from '../support/browser-home.ts';
import type { Person } from '../support/browser-process.ts';
import type { Up } from '../support/cli.ts';
import type { RelayProcess } from '../support/home-relay-process.ts';
import { diceOf, type Dice } from '../support/hostile-dice.ts';

/**
 * Goal: whatever the network and the power do, what people decided happens as they decided it, once, and everybody sees
 * the same in the end.
 * Method: five windows of three people, a home and a relay in processes of their own. By one seed people decide, lose
 * and find their network, relay and runtime are killed, the relay's disk is wiped once. Then all is mended, what is
 * left is approved, and the files on the disk are counted.
 */
const browsers = useBrowsers();
const ACTIONS = 24;
const STEPS = 36;
const WIPE_AT = 18;
const TALL = { width: 1280, height: 4_000 } as const;
/** How long everything may take to come to rest once it is mended. */
const REST_MS_MAX = 90_000;

interface Stage {
  readonly home: HomeOnDisk;
  readonly people: readonly [Person, ...Person[]];
  readonly windows: readonly [Page, ...Page[]];
  readonly offline: Set<Person>;
  /** What anybody asked for, by number. */
  readonly asked: Map<number, Set<'approve' | 'reject'>>;
  runtime: Up;
  relay: RelayProcess;
  readonly log: string[];
}

const SEED = Number(process.env['PROOF_SEED'] ?? 1);

test(`[DC-6] five windows, partitions, kills and a wiped relay: one state, everything once (seed ${SEED})`, async () => {
  const dice = diceOf(SEED);
  const stage = await setUp();
  try {
    for (let step = 0; step < STEPS; step++) await oneStep(stage, dice, step);
    await mend(stage);
    await approveTheRest(stage);
    await compare(stage);
  } catch (cause) {
    throw new Error(`seed ${SEED}:\n${stage.log.join('\n')}`, { cause });
  }
});

async function setUp(): Promise<Stage> {
  const home = await homeOnDisk();
  const relay = await home.relay();
  const runtime = await home.start('--relay', relay.url);
  await mkdir(join(home.workspace, 'src'));
  const agent = await stdioAgent(home.workspace, home.state);
  for (let n = 1; n <= ACTIONS; n++) {
    await writeFile(fileOf(home, n), 'END\n');
    const path = `src/${n}.txt`;
    await agent.call('edit_file', { path, edits: [{ oldText: 'END', newText: '+1\nEND' }] });
  }
  await agent.close();
  const people: [Person, ...Person[]] = [await browsers.person(TALL)];
  people.push(await browsers.person(TALL), await browsers.person(TALL));
  for (const [at, person] of people.entries()) await enrol(person.page, await home.link(), `device ${at + 1}`);
  const [first, second] = people;
  const windows: [Page, ...Page[]] = [first.page, ...people.slice(1).map(({ page }) => page)];
  for (const person of [first, second]) {
    const more = await (person ?? first).window();
    await more.goto(new URL(first.page.url()).origin);
    windows.push(more);
  }
  for (const page of windows) await expect.poll(() => page.locator('.row').count()).toBe(ACTIONS);
  return { home, people, windows, offline: new Set(), asked: new Map(), runtime, relay, log: [] };
}

async function oneStep(stage: Stage, dice: Dice, step: number): Promise<void> {
  const { log } = stage;
  if (step === WIPE_AT) {
    log.push(`${step} wipe`);
    await stage.relay.kill();
    await rm(stage.home.relayData, { recursive: true, force: true });
    stage.relay = await stage.home.relay({ port: stage.relay.port });
    return;
  }
  if (dice.chance(0.65)) return decide(stage, dice, step);
  if (dice.chance(0.5)) {
    const person = dice.pick(stage.people);
    const cut = !stage.offline.delete(person);
    if (cut) stage.offline.add(person);
    log.push(`${step} person ${stage.people.indexOf(person) + 1} ${cut ? 'off' : 'on'}`);
    return person.network(cut ? 'off' : 'on');
  }
  const relay = dice.chance(0.5);
  log.push(`${step} kill ${relay ? 'relay' : 'runtime'}`);
  if (relay) {
    await stage.relay.kill();
    stage.relay = await stage.home.relay({ port: stage.relay.port });
  } else {
    stage.runtime.child.kill('SIGKILL');
    await stage.runtime.ended;
    stage.runtime = await stage.home.start();
  }
}

/** Somebody decides on something that nobody has decided on, as far as that window knows. */
async function decide({ asked, log, windows }: Stage, dice: Dice, step: number): Promise<void> {
  const page = dice.pick(windows);
  const open = page
    .locator('.row')
    .filter({ hasText: 'undecided' })
    .filter({ hasNot: page.locator('.claim') });
  const count = await open.count();
  if (count === 0) return;
  const row = open.nth(dice.roll(count));
  const n = Number(/#(\d+)/.exec(await row.innerText())?.[1]);
  const kind = dice.chance(0.75) ? 'approve' : 'reject';
  const pressed = await press(page, row, kind, `step ${step}`);
  log.push(`${step} window ${windows.indexOf(page) + 1} ${kind} #${n}${pressed ? '' : ': somebody was quicker'}`);
  if (pressed) asked.set(n, (asked.get(n) ?? new Set<'approve' | 'reject'>()).add(kind));
}

/** False when what was to be pressed is gone: another window decided while this one looked. */
async function press(page: Page, row: Locator, kind: 'approve' | 'reject', why: string): Promise<boolean> {
  const soon = { timeout: 5_000 };
  try {
    await row.locator('.row-main').click(soon);
    const exits = page.locator('.detail-actions');
    await exits.getByRole('button', { name: kind === 'approve' ? 'Approve' : 'Reject', exact: true }).click(soon);
    if (kind === 'approve') return true;
    const sheet = page.getByRole('dialog');
    await sheet.getByLabel('Reason').fill(why, soon);
    await sheet.getByRole('button', { name: 'Reject', exact: true }).click(soon);
    return true;
  } catch (cause) {
    if (!(cause instanceof errors.TimeoutError)) throw cause;
    await page.keyboard.press('Escape');
    return false;
  }
}

async function mend({ home, log, offline, people }: Stage): Promise<void> {
  for (const person of people) await person.network('on');
  offline.clear();
  log.push('mended');
  for (const { page } of people) {
    await page.getByText('waiting on this device').waitFor({ state: 'detached', timeout: REST_MS_MAX });
  }
  expect((await home.run('status', '--json')).code).toBe(0);
}

/** What nobody decided on is approved on the command line, so that nothing waits for a neighbour for ever. */
async function approveTheRest({ asked, home, log }: Stage): Promise<void> {
  const { json } = await home.run('queue', '--json');
  const left = json.flatMap(({ seq, state }) => (state === 'pending' && typeof seq === 'number' ? [seq] : []));
  log.push(`left: ${left.join()}`);
  for (const n of left) asked.set(n, (asked.get(n) ?? new Set<'approve' | 'reject'>()).add('approve'));
  if (left.length > 0) expect((await home.run('approve', ...left.map(String), '--json')).err).toBe('');
}

async function compare({ asked, home, log, windows }: Stage): Promise<void> {
  const rest = { timeout: REST_MS_MAX };
  for (const page of windows) await expect.poll(() => page.locator('.row').count(), rest).toBe(0);
  const states: string[] = [];
  for (let n = 1; n <= ACTIONS; n++) {
    const times = (await readFile(fileOf(home, n), 'utf8')).split('+1').length - 1;
    const wanted = [...(asked.get(n) ?? [])].toSorted().join();
    log.push(`#${n} asked ${wanted}, in the file ${times} times`);
    // Asked both ways by two who could not know of each other, either may be first; then the other is told so.
    expect(wanted === 'approve' ? [1] : wanted === 'reject' ? [0] : [0, 1], `#${n}`).toContain(times);
    states.push(`#${n} ${times === 1 ? 'applied' : 'rejected'}`);
  }
  for (const page of windows) {
    await page.getByRole('button', { name: /^Applied/ }).click();
    await expect.poll(() => shownStates(page), rest).toEqual(states.toSorted());
  }
}

async function shownStates(page: Page): Promise<readonly string[]> {
  const rows = await page.getByTestId('applied').locator('.row').allInnerTexts();
  return rows.map((text) => `#${/#(\d+)/.exec(text)?.[1]} ${/applied|rejected/.exec(text)?.[0]}`).toSorted();
}

function fileOf({ workspace }: HomeOnDisk, n: number): string {
  return join(workspace, 'src', `${n}.txt`);
}
