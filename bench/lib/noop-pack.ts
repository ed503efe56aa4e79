import type { Surface, SurfacePack } from '../../src/authority/ports.ts';

interface Tick {
  readonly target: string;
  readonly n: number;
}

/** A surface whose effect is nothing: what is left is what queueing, committing and draining cost by themselves. */
export function noopPack(onApplied: () => void): SurfacePack {
  const surface: Surface<Tick> = {
    kind: { tag: 'bench.tick', label: 'Tick' },
    tool: {
      name: 'tick',
      title: 'Tick',
      description: 'Does nothing.',
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint: false },
      parse: (input) => input as Tick, // reason: only this bench calls it
    },
    card: {
      title: 'Tick {0}',
      target: '/arguments/target',
      fields: [{ label: 'Target', pointer: '/arguments/target', as: 'text' }],
    },
    async describe({ target, n }) {
      return {
        effect: { target, n },
        preconditions: [],
        writes: [`tick:${target}`],
        effectClass: 'E1',
        reversible: true,
        reversibleWhy: 'There is nothing to take back.',
        awaitDecision: false,
        verdict: { autoApprovable: true, reason: 'It does nothing.' },
        lane: null,
        unchanged: false,
      };
    },
    async simulate(effect, overlay) {
      const { target, n } = effect as unknown as Tick; // reason: made by `describe` above
      overlay.put(`tick:${target}`, { n });
      return { content: [] };
    },
    async apply() {
      onApplied();
      return { type: 'applied', evidence: {}, drift: null };
    },
    async probe() {
      return { answer: 'not-applied', why: 'Nothing ever happens.' };
    },
    async revert() {
      return { type: 'reverted' };
    },
  };
  // reason: a pack holds surfaces of many argument types, each given only what its own parse made
  return { name: 'noop', surfaces: [surface as unknown as Surface], reads: [] };
}
