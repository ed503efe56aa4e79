import { createRoot } from 'react-dom/client';
import { assert } from '../base/assert.ts';
import { CountersignError } from '../base/errors.ts';
import type { Replica } from '../replica/types.ts';
import type { Doorway } from './gate/doorway.ts';
import { Gate } from './gate/gate.tsx';
import { guessNickname, takeSecret } from './gate/link.ts';
import { keepPageOffline } from './page/offline.ts';

// First of all: a secret does not stay in an address.
const secret = takeSecret(location, history);
const element = document.querySelector<HTMLElement>('#panel');
assert(element !== null, 'the page has a place for the panel');

// Asked for at once and as a whole, so that nothing of the page is missing later, when its home may be gone.
const inside = import('./inside.ts').catch((cause: unknown) => {
  throw new CountersignError('closed', 'Part of this page did not arrive. Load it again.', { cause });
});
// What fails with nobody waiting for it is the browser's to report: the page has no log of its own.
const door = inside.then(({ browserDoorway }) => browserDoorway((thrown) => reportError(thrown)));
const doorway: Doorway = {
  standing: async () => (await door).standing(),
  open: async (link) => (await door).open(link),
};
const gate = createRoot(element);
gate.render(
  <Gate
    doorway={doorway}
    secret={secret}
    nickname={guessNickname(navigator.userAgent)}
    onOpen={(replica) => void enter(element, replica)}
  />,
);
void keepPageOffline();

async function enter(place: HTMLElement, replica: Replica): Promise<void> {
  const { showPanel } = await inside;
  gate.unmount();
  showPanel(place, replica);
}
