export { memoryJournal } from '../journal/memory/index.ts';
export { FakeClock } from './fake-clock.ts';
export { seededRandom } from './seeded-random.ts';
export {
  surfaceContract,
  type ContractCase,
  type SurfaceCall,
  type SurfaceContractOptions,
  type SurfaceWorld,
} from './surface-contract.ts';
