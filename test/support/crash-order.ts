import type { CrashPlace } from './crash-home.ts';
import type { Plant } from './crash-plants.ts';

export type SceneName =
  | 'warm-up'
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
  | 'rotate'
  | 'publish'
  | 'publish-start';

/** What a child is told to do. */
export interface ChildOrder extends CrashPlace {
  readonly scene: SceneName;
  readonly plant?: Plant;
}

/** What a child under load is told. */
export interface LoopOrder extends CrashPlace {
  readonly plant?: Plant;
  /** It ends by itself after so many effects of each actor; absent: it is killed. */
  readonly turns?: number;
}

/** How the child ends when it said why it stopped. */
export const STOPPED_CODE = 3;

/** The line with which a start that was announced may begin. */
export const GO = 'go';

/** What the process that starts says of the one that is started, between its lines. */
export type Told =
  | { readonly tell: 'started'; readonly pid: number }
  /** `status`: the exit code, or the signal as a negative number. */
  | { readonly tell: 'ended'; readonly status: number };
