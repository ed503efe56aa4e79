import type { Mutant } from '../mutant.ts';

const DRAIN = 'src/authority/drain.ts';
const RULINGS = 'src/authority/rulings.ts';

/** What must be durable before anything relies on it. */
export const COMMIT_POINT: readonly Mutant[] = [
  {
    name: 'apply before intent',
    breaks: 'An effect begins, and its intent is stored with its outcome.',
    rules: ['LC-2'],
    patches: [
      {
        file: DRAIN,
        find: '    await core.commit();\n    if (!inside) await this.#perform(begun);',
        replace: '    if (!inside) await this.#perform(begun);\n    await core.commit();',
      },
    ],
  },
  {
    name: 'intent not fsynced',
    breaks: 'An effect begins while the commit of its intent is on its way.',
    rules: ['LC-2'],
    patches: [
      {
        file: DRAIN,
        find: '    await core.commit();\n    if (!inside) await this.#perform(begun);',
        replace: '    core.commit().catch(() => undefined);\n    if (!inside) await this.#perform(begun);',
      },
    ],
  },
  {
    name: 'receipt before durability',
    breaks: 'A device is told that its decision was received before that is stored.',
    rules: ['DC-6'],
    patches: [
      {
        file: RULINGS,
        find: 'if (taken.length > 0) await this.#core.commit();',
        replace: 'if (taken.length > 0) this.#core.commit().catch(() => undefined);',
      },
    ],
  },
  {
    name: 'queued before durability',
    breaks: 'An agent is told that its call is queued before that is stored.',
    rules: ['LC-4'],
    patches: [
      {
        file: 'src/authority/intake.ts',
        find: '    await queued.durable;',
        replace: '    queued.durable.catch(() => undefined);',
      },
    ],
  },
  {
    name: 'revert before its intent',
    breaks: 'A revert begins before the decision that asks for it is stored.',
    rules: ['CA-3'],
    patches: [
      {
        file: RULINGS,
        find: 'if (taken.length > 0) await this.#core.commit();',
        replace:
          "const durable = taken.length > 0 ? this.#core.commit() : Promise.resolve();\n    durable.catch(() => undefined);\n    for (const one of taken) if (one.type === 'receipt') for (const follow of one.follow) if (follow.type === 'revert') void this.#follow(follow);\n    await durable;",
      },
    ],
    wants: ({ decide }) => decide.reverts,
  },
  {
    name: 'publish before commit',
    breaks: 'Devices are shown a change that a crash can still take back.',
    rules: ['DC-4'],
    patches: [
      {
        file: 'src/authority/publish/publisher.ts',
        find: '    await core.commit();\n    // Something that this spoke of was lost, and yet this was stored: it is not handed over, so the room ends here.',
        replace:
          '    this.#blobs.flush();\n    if (update !== undefined) options.outlet.update(room.name, update);\n    await core.commit();',
      },
    ],
    net: true,
    wants: ({ weights }) => weights.crash > 0.1,
  },
  {
    name: 'head log only for intents',
    breaks: 'The head log gets a record for intents alone. Planted in the journal that stands for the real one.',
    rules: ['EF-7'],
    patches: [
      {
        file: 'test/simulation/journal.ts',
        find: 'this.#disk.witness(this.#missing());\n    this.#head',
        replace:
          "this.#disk.witness(this.#missing().filter(({ kind }) => kind === 'intent-recorded'));\n    this.#head",
      },
    ],
  },
];
