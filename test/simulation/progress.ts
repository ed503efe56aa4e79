/** Seeds of one worker after which it says that it lives. */
export const PROGRESS_SEEDS = 50;
