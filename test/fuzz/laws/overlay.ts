import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { OverlayWrite } from '../../../src/model/action.ts';
import type { ActionId } from '../../../src/model/ids.ts';
import { Overlay } from '../../../src/overlay/overlay.ts';
import { StagedWriter, TrackedView } from '../../../src/overlay/tracked.ts';
import type { Layer } from '../../../src/overlay/types.ts';
import { aid, digestOf } from '../../unit/model/make-action.ts';
import { law, type Law } from './law.ts';

const ACTIONS = 8;
const RESOURCES = ['file:', 'file:a', 'file:a/b', 'file:a/b/c', 'file:a/d', 'file:e', 'note:x', 'note:x/a'] as const;

/** An action comes, moves to another place in its lane, or goes. */
interface Move {
  readonly by: number;
  readonly place: number;
  readonly writes: readonly OverlayWrite[] | null;
}

const write = fc.record<OverlayWrite>({
  resource: fc.constantFrom(...RESOURCES),
  value: fc.option(fc.record({ text: fc.nat(99) }), { freq: 4 }),
});
const writes = fc.uniqueArray(write, { selector: ({ resource }) => resource, maxLength: 3, size: 'max' });
const moves = fc.array(
  fc.record<Move>({
    by: fc.integer({ min: 1, max: ACTIONS }),
    place: fc.integer({ min: 1, max: 40 }),
    writes: fc.option(writes, { freq: 3 }),
  }),
  { maxLength: 20, size: 'max' },
);
const places = fc.constantFrom(Infinity, Infinity, 80, 160, 240);

type Live = ReadonlyMap<ActionId, { readonly place: number; readonly writes: readonly OverlayWrite[] }>;

/** Reads of what is pending, whatever came and went before. */
export const OVERLAY_LAWS = {
  incrementalIsRebuilt: law(
    100,
    fc.property(moves, places, (sequence, place) => {
      const { live, overlay } = played(sequence);
      const rebuilt = new Overlay();
      for (const [by, { place: at, writes: all }] of live) rebuilt.add(by, at, all);
      assert.equal(overlay.size, live.size);
      assert.deepEqual(new Set(overlay.resources()), new Set(rebuilt.resources()));
      for (const resource of RESOURCES) {
        assert.deepEqual(overlay.newest(resource, place), rebuilt.newest(resource, place));
        assert.deepEqual(overlay.childrenOf(resource, place), rebuilt.childrenOf(resource, place));
        assert.deepEqual(overlay.below(resource, place), rebuilt.below(resource, place));
        assert.deepEqual(overlay.makersOf(resource), rebuilt.makersOf(resource));
      }
    }),
  ),

  readsAreTheFold: law(
    100,
    fc.property(moves, places, (sequence, place) => {
      const { live, overlay } = played(sequence);
      for (const resource of RESOURCES) {
        const versions = versionsOf(live, resource);
        assert.deepEqual(
          overlay.makersOf(resource),
          versions.map(({ by }) => by),
        );
        assert.deepEqual(plain(overlay.newest(resource, place)), newestOf(live, resource, place));
        const expected = (isAsked: (each: string) => boolean): unknown =>
          RESOURCES.filter(isAsked)
            .toSorted()
            .flatMap((each) => {
              const layer = newestOf(live, each, place);
              return layer === undefined ? [] : [[each, layer]];
            });
        const found = (layers: ReadonlyMap<string, Layer>): unknown =>
          [...layers].map(([each, layer]) => [each, plain(layer)]);
        assert.deepEqual(
          found(overlay.childrenOf(resource, place)),
          expected((each) => isDirectlyUnder(each, resource)),
        );
        assert.deepEqual(
          found(overlay.below(resource, place)),
          expected((each) => isUnder(each, resource)),
        );
      }
    }),
  ),

  needsAreWhatWasReadOrReplaced: law(
    50,
    fc.property(
      moves,
      fc.array(fc.constantFrom(...RESOURCES), { maxLength: 3 }),
      fc.array(fc.constantFrom(...RESOURCES), { maxLength: 2 }),
      writes,
      places,
      (sequence, lookedUp, listed, put, place) => {
        const { live, overlay } = played(sequence);
        const [by, hash] = [aid(1), () => digestOf(1)];
        const writer = new StagedWriter({ overlay, by, place, hash, readBlob: () => new Uint8Array() });
        const view = new TrackedView(overlay, () => new Uint8Array(), place);
        for (const resource of lookedUp) assert.deepEqual(writer.lookup(resource), view.lookup(resource));
        for (const resource of listed) assert.deepEqual(writer.children(resource), view.children(resource));
        for (const { resource, value } of put) writer.put(resource, value);
        for (const { resource, value } of put) assert.deepEqual(writer.lookup(resource), { value, by });

        const read = [
          ...lookedUp,
          ...RESOURCES.filter((each) => listed.some((parent) => isDirectlyUnder(each, parent))),
        ];
        const makers = (resources: readonly string[]): Set<ActionId> =>
          new Set(resources.flatMap((each) => newestOf(live, each, place)?.by ?? []));
        assert.deepEqual(view.shown, makers(read));
        const needs = makers([...read, ...put.map(({ resource }) => resource)]);
        needs.delete(by);
        assert.deepEqual(writer.needs, needs);
      },
    ),
  ),
} as const satisfies Record<string, Law>;

function played(sequence: readonly Move[]): { readonly overlay: Overlay; readonly live: Live } {
  const overlay = new Overlay();
  const live = new Map<ActionId, { place: number; writes: readonly OverlayWrite[] }>();
  for (const { by: n, place, writes: all } of sequence) {
    const by = aid(n);
    // Places are numbers of one growing counter: no two actions share one.
    const own = place * ACTIONS + n;
    live.delete(by);
    if (all === null) {
      overlay.remove(by);
      continue;
    }
    overlay.add(by, own, all);
    live.set(by, { place: own, writes: all });
  }
  return { overlay, live };
}

/** Every live version of a resource, oldest first, looked for from the beginning each time. */
function versionsOf(live: Live, resource: string): readonly (Layer & { readonly place: number })[] {
  return [...live]
    .flatMap(([by, { place, writes: all }]) =>
      all.filter((each) => each.resource === resource).map(({ value }) => ({ value, by, place })),
    )
    .toSorted((a, b) => a.place - b.place);
}

function newestOf(live: Live, resource: string, place: number): Layer | undefined {
  return plain(versionsOf(live, resource).findLast((version) => version.place < place));
}

function plain(layer: Layer | undefined): Layer | undefined {
  return layer && { value: layer.value, by: layer.by };
}

/** Itself, or whatever a chain of folders leads to from it. */
function isUnder(resource: string, root: string): boolean {
  return resource === root || RESOURCES.some((each) => isDirectlyUnder(resource, each) && isUnder(each, root));
}

/** `file:a` stands in `file:`, `file:a/b` in `file:a`: said with the names alone. */
function isDirectlyUnder(resource: string, parent: string): boolean {
  const inside = parent.endsWith(':') ? parent : `${parent}/`;
  const rest = resource.startsWith(inside) ? resource.slice(inside.length) : '';
  return rest !== '' && !rest.includes('/');
}
