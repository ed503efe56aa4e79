import { createRoot } from 'react-dom/client';
import { assert } from '../base/assert.ts';
import { browserDoorway } from './gate/doorway.ts';
import { Gate } from './gate/gate.tsx';
import { guessNickname, takeSecret } from './gate/link.ts';
import { mountPanel } from './mount.tsx';
import { keepPageOffline } from './page/offline.ts';
import { workerDiffer } from './page/worker-differ.ts';

// First of all: a secret does not stay in an address.
const secret = takeSecret(location, history);
const element = document.querySelector<HTMLElement>('#panel');
assert(element !== null, 'the page has a place for the panel');

// What fails with nobody waiting for it is the browser's to report: the page has no log of its own.
const doorway = browserDoorway((thrown) => reportError(thrown));
const gate = createRoot(element);
gate.render(
  <Gate
    doorway={doorway}
    secret={secret}
    nickname={guessNickname(navigator.userAgent)}
    onOpen={(replica) => {
      gate.unmount();
      mountPanel(element, { replica, differ: workerDiffer() });
    }}
  />,
);
void keepPageOffline();
