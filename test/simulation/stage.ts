import type { Household, Dice } from './contract.ts';
import type { Chronicle } from './chronicle.ts';
import type { SimDisk } from './disk.ts';
import type { Judge } from './judge.ts';
import type { OlderLife } from './older/life.ts';
import type { Rates } from './rates.ts';
import type { Time } from './sim-time.ts';
import type { World } from './world.ts';

/** What the parts of one simulation share. */
export interface Stage {
  /** What can happen now. */
  rates: Rates;
  /** While its journal is one of an older version. */
  older: OlderLife | undefined;
  readonly dice: Dice;
  readonly time: Time;
  readonly household: Household;
  readonly world: World;
  readonly disk: SimDisk;
  readonly chronicle: Chronicle;
  readonly judge: Judge;
  readonly occurred: (what: string) => void;
  /** The first failure ends the simulation. */
  readonly fail: (what: string, why: string) => void;
}
