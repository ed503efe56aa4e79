import { useEffect, useId, useState, type ReactNode } from 'react';
import { CountersignError, messageOf } from '../../base/errors.ts';
import type { Standing } from '../../replica/browser/home-now.ts';
import type { Replica } from '../../replica/types.ts';
import { Button } from '../parts/button.tsx';
import type { Doorway } from './doorway.ts';

interface GateProps {
  readonly doorway: Doorway;
  /** Of the link the page was opened with. */
  readonly secret: string | null;
  readonly nickname: string;
  readonly onOpen: (replica: Replica) => void;
}

type Stranger = Exclude<Standing, 'device'>;

type Stage =
  | { readonly type: 'opening' }
  | { readonly type: 'no-device'; readonly standing: Stranger }
  | { readonly type: 'link'; readonly standing: Stranger }
  | { readonly type: 'enrolling' }
  | { readonly type: 'failed'; readonly what: string; readonly why: string; readonly again: boolean };

/** What stands before the panel: this browser becomes a device, or says why it is none. */
export function Gate({ doorway, nickname, onOpen, secret }: GateProps): ReactNode {
  const [stage, setStage] = useState<Stage>({ type: 'opening' });
  const open = (): void => {
    setStage({ type: 'opening' });
    doorway.open(null).then(onOpen, (cause: unknown) => setStage(failedToOpen(cause)));
  };
  const enrol = (name: string): void => {
    if (secret === null) return;
    setStage({ type: 'enrolling' });
    doorway.open({ secret, nickname: name }).then(onOpen, (cause: unknown) => setStage(failedToEnrol(cause)));
  };
  useEffect(() => {
    doorway.standing().then(
      // A browser that is a device stays the device it is; a link is left for another.
      (standing) =>
        standing === 'device' ? open() : setStage({ type: secret === null ? 'no-device' : 'link', standing }),
      (cause: unknown) => setStage(failedToOpen(cause)),
    );
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- reason: a gate is passed once
  }, []);
  return (
    <div className="gate">
      <h1>Countersign</h1>
      <div role="status">
        <Words stage={stage} />
      </div>
      {stage.type === 'link' ? <LinkForm nickname={nickname} onEnrol={enrol} /> : null}
      {stage.type === 'failed' && stage.again ? <Button onPress={open}>Try again</Button> : null}
    </div>
  );
}

function Words({ stage }: { readonly stage: Stage }): ReactNode {
  switch (stage.type) {
    case 'opening':
      return <p>Opening what this browser has kept…</p>;
    case 'enrolling':
      return <p>Asking the runtime to take this browser as a device…</p>;
    case 'no-device':
      return (
        <p>
          {NOT_YET[stage.standing]} Run <code>countersign panel</code> where the runtime is; it prints a link that makes
          it one.
        </p>
      );
    case 'link':
      return stage.standing === 'none' ? null : (
        <p className="notice notice-warn">
          <span aria-hidden="true">!</span>
          <span>
            {NOT_YET[stage.standing]} With this link it becomes a new device. What it had decided and not sent yet is
            forgotten.
          </span>
        </p>
      );
    case 'failed':
      return (
        <p className="notice notice-bad">
          <span aria-hidden="true">!</span>
          <span>
            {stage.what} {stage.why}
          </span>
        </p>
      );
  }
}

/** Why this browser may not decide, as a sentence. */
const NOT_YET: Readonly<Record<Stranger, string>> = {
  none: 'This browser is not one of your devices yet.',
  removed: 'This browser was removed from your devices.',
  'other-home': 'This browser is a device of another runtime that ran at this address before.',
};

interface LinkFormProps {
  readonly nickname: string;
  readonly onEnrol: (nickname: string) => void;
}

/** UTF-16 units of a device's name, as the home takes it. */
const NICKNAME_CHARS_MAX = 64;

/** Asked first: a link that only had to be loaded would be spent by whatever loads links. */
function LinkForm({ nickname, onEnrol }: LinkFormProps): ReactNode {
  const [name, setName] = useState(nickname);
  const id = useId();
  const empty = name.trim() === '';
  return (
    <>
      <p>This link makes this browser one of your devices: what you decide here is signed here.</p>
      <div className="field">
        <label htmlFor={id}>What to call this device</label>
        <input
          id={id}
          className="search"
          maxLength={NICKNAME_CHARS_MAX}
          value={name}
          onChange={(event) => setName(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !empty) onEnrol(name.trim());
          }}
        />
      </div>
      <Button look="main" barred={empty ? 'A device needs a name.' : null} onPress={() => onEnrol(name.trim())}>
        Make this browser a device
      </Button>
    </>
  );
}

function failedToOpen(cause: unknown): Stage {
  return {
    type: 'failed',
    what: 'What this browser has kept could not be opened.',
    why: messageOf(cause),
    again: true,
  };
}

function failedToEnrol(cause: unknown): Stage {
  const again = 'Run "countersign panel" again for a new link.';
  if (!CountersignError.is(cause))
    return { type: 'failed', what: 'This browser did not become a device.', why: messageOf(cause), again: false };
  if (cause.code === 'not-found')
    return { type: 'failed', what: 'This link was used already, or is too old.', why: again, again: false };
  return {
    type: 'failed',
    what: 'This browser did not become a device.',
    why: `${cause.message} ${again}`,
    again: false,
  };
}
