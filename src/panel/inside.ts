import { mountPanel } from './mount.tsx';
import { workerDiffer } from './page/worker-differ.ts';
import type { Replica } from '../replica/types.ts';

export { browserDoorway } from './gate/doorway.ts';

/** Everything behind the gate, which is most of the page's code: it is on its way while the gate is drawn already. */
export function showPanel(element: HTMLElement, replica: Replica): void {
  mountPanel(element, { replica, differ: workerDiffer() });
}
