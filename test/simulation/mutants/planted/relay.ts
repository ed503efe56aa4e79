import type { Mutant } from '../mutant.ts';
import type { Rates } from '../../rates.ts';

const isHostile = ({ net }: Rates): boolean => net.hostileRelay;

/** What keeps a relay that means harm from more than delay. */
export const RELAYED: readonly Mutant[] = [
  {
    name: 'head of nobody',
    breaks: 'A device takes a head that its home has not signed.',
    rules: ['T9', 'DC-7'],
    patches: [
      {
        file: 'src/access/head.ts',
        find: 'openRecord({ verify, publicKey: homeKey, domain, signed }, head)',
        replace: 'openRecord({ verify: () => true, publicKey: homeKey, domain, signed }, head)',
      },
    ],
    net: true,
    wants: isHostile,
  },
  {
    name: 'heartbeat of nobody',
    breaks: 'A device takes a heartbeat that its home has not signed.',
    rules: ['T9', 'DC-5'],
    patches: [
      {
        file: 'src/trust/heartbeat.ts',
        find: "openRecord({ verify, publicKey, domain: { ...place, type: 'heartbeat' }, signed }, heartbeat)",
        replace:
          "openRecord({ verify: () => true, publicKey, domain: { ...place, type: 'heartbeat' }, signed }, heartbeat)",
      },
    ],
    net: true,
    wants: isHostile,
  },
];
