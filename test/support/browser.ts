import type { Browser } from 'playwright-core';
import { afterAll, onTestFinished } from 'vitest';
import { openKept, openPerson, startBrowser, type KeptPerson, type Looks, type Person } from './browser-process.ts';
import { tempDir } from './temp-dir.ts';

/** Browsers for the tests of one file. Everything opened through it is closed with the test that opened it. */
export interface Browsers {
  /** Somebody who comes with an empty storage. They share one process, and no storage. */
  person(looks?: Looks): Promise<Person>;
  /** Somebody whose storage stays: open, close or kill, and open again. */
  kept(): Promise<Kept>;
}

export interface Kept {
  open(looks?: Looks): Promise<KeptPerson>;
}

/** Call it at the top of a test file. The browser starts with the first person and ends with the file. */
export function useBrowsers(): Browsers {
  let shared: Promise<Browser> | undefined;
  afterAll(async () => {
    await (await shared)?.close();
  });
  return {
    async person(looks) {
      shared ??= startBrowser();
      const person = await openPerson(await shared, looks);
      onTestFinished(() => person.close());
      return person;
    },
    async kept() {
      const folder = await tempDir('countersign-profile');
      return {
        async open(looks) {
          const person = await openKept(folder, looks);
          onTestFinished(() => person.close());
          return person;
        },
      };
    },
  };
}
