import type { CrashPlace } from './crash-home.ts';
import type { Plant } from './crash-plants.ts';

export type SceneName =
  | 'accept'
  | 'drain-E0'
  | 'drain-E1'
  | 'drain-E2'
  | 'drain-E3'
  | 'drain-E4'
  | 'revert'
  | 'recover'
  | 'settle'
  | 'migrate'
  | 'rotate';

/** What a child is told to do. */
export interface ChildOrder extends CrashPlace {
  readonly scene: SceneName;
  readonly plant?: Plant;
}

/** How the child ends when it said why it stopped. */
export const STOPPED_CODE = 3;
