import { useId, useMemo, useState, type ReactNode } from 'react';
import type { ActionId } from '../../model/ids.ts';
import { formatCount } from '../../model/display.ts';
import type { Look } from '../../replica/types.ts';
import { usePanel } from '../app/panel-context.ts';
import type { Gesture } from '../app/ui-state.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { useArmed } from '../parts/use-armed.ts';
import { verbOf } from '../words/claim-words.ts';
import { numbered } from '../words/counts.ts';
import { GRACE_MEANS } from '../words/grace-words.ts';
import { ActionLines } from './action-lines.tsx';
import { GestureNote, noteAsked } from './gesture-note.tsx';
import type { Located } from './located.ts';
import { waitingBehind } from './waiting-behind.ts';

/** Everything a gesture would do, before it is signed: what it names, what is left out and why, what falls with it. */
export function DecideSheet({ gesture }: { readonly gesture: Gesture }): ReactNode {
  const { dispatch, index } = usePanel();
  const [left, setLeft] = useState<ReadonlySet<ActionId>>(new Set());
  const [note, setNote] = useState('');
  const noteId = useId();
  const look = useLook(gesture, left);
  const armed = useArmed(layoutOf(look, left));
  const count = look.included.length;
  const verb = gesture.label ?? verbOf(gesture.kind);
  const asked = gesture.body === undefined ? noteAsked(gesture.kind) : null;
  const missing = asked?.required === true && note.trim() === '';
  const confirm = useConfirm(gesture, look, note.trim());
  const close = (): void => dispatch({ type: 'sheet', gesture: null });
  return (
    <Dialog
      wide
      title={`${verb}: ${subjectOf(gesture, look, index)}`}
      onClose={close}
      actions={
        <>
          <Button onPress={close}>Cancel</Button>
          <Button
            autoFocus={asked === null}
            look={gesture.kind === 'reject' ? 'risky' : 'main'}
            armed={armed}
            barred={barredBecause(count, missing)}
            onPress={confirm}
          >
            {gesture.ids.length === 1
              ? verb
              : / /.test(verb)
                ? `${verb} (${formatCount(count)})`
                : `${verb} ${formatCount(count)}`}
          </Button>
        </>
      }
    >
      {asked === null ? null : (
        <GestureNote
          id={noteId}
          asked={asked}
          note={note}
          onNote={setNote}
          onSend={() => armed && !missing && count > 0 && confirm()}
        />
      )}
      {gesture.means === undefined ? null : <p className="hint">{gesture.means}</p>}
      {gesture.kind === 'approve' ? <ForGood included={look.included} /> : null}
      {gesture.kind === 'approve' ? <Waiting included={look.included} /> : null}
      <Consequences look={look} />
      <ActionLines
        title="Named by this decision"
        ids={gesture.bulk ? includedAndLeft(look, left, index) : look.included}
        left={left}
        onToggle={gesture.bulk ? (id) => setLeft((before) => flipped(before, id)) : null}
      />
    </Dialog>
  );
}

/** The list is fixed; what would come of it is looked at again whenever something changed. */
function useLook(gesture: Gesture, left: ReadonlySet<ActionId>): Look {
  const { gestures, index } = usePanel();
  return useMemo(
    () => gestures.look({ ...gesture, ids: gesture.ids.filter((id) => !left.has(id)) }),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- reason: a new index means that the replica has changed
    [gesture, gestures, left, index],
  );
}

function useConfirm(gesture: Gesture, look: Look, note: string): () => void {
  const { dispatch, gestures } = usePanel();
  return () => {
    const inBody = gesture.kind === 'change' && gesture.body === undefined;
    const plan = look.planHash === null ? {} : { body: { planHash: look.planHash } };
    const body = inBody ? { body: { say: note, remarks: [] } } : plan;
    gestures.ask({ ...gesture, ids: look.included, ...body }, inBody ? '' : note);
    dispatch({ type: 'sheet', gesture: null });
    dispatch({ type: 'leave', ids: look.included });
  };
}

function layoutOf({ excluded, falls, included, lookAgain, takesBack }: Look, left: ReadonlySet<ActionId>): string {
  return [included, excluded, falls, lookAgain, takesBack].map(({ length }) => length).join() + left.size;
}

function Consequences({ look }: { readonly look: Look }): ReactNode {
  const whys = new Map(look.excluded.map(({ id, why }) => [id, why]));
  return (
    <>
      <ActionLines title="Left out, needs a decision of its own" tone="warn" ids={[...whys.keys()]} whys={whys} />
      <ActionLines title="Taken back first, in this order: it stands on it" tone="bad" ids={look.takesBack} />
      <ActionLines title="Falls with it: needs what is rejected" tone="bad" ids={look.falls} />
      <ActionLines title="Must be looked at again: its agent had seen it" tone="warn" ids={look.lookAgain} />
      {look.more ? <p className="notice notice-warn">These lists may not be whole: there may be more.</p> : null}
    </>
  );
}

/** What is named, and what a person left out, in the order in which it would happen. */
function includedAndLeft(
  look: Look,
  left: ReadonlySet<ActionId>,
  index: ReadonlyMap<ActionId, Located>,
): readonly ActionId[] {
  const placeOf = (id: ActionId): number => index.get(id)?.view.record.place ?? 0;
  // The look has them in order; what was left out is sorted in among them.
  return left.size === 0 ? look.included : [...look.included, ...left].toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** `#12` for one; of several, how many of those that were pointed at. */
function subjectOf({ ids }: Gesture, look: Look, index: ReadonlyMap<ActionId, Located>): string {
  const [only] = ids;
  const seq = only === undefined || ids.length > 1 ? undefined : index.get(only)?.view.record.seq;
  return seq === undefined ? `${formatCount(look.included.length)} of ${formatCount(ids.length)}` : `#${seq}`;
}

function ForGood({ included }: { readonly included: readonly ActionId[] }): ReactNode {
  const { index } = usePanel();
  const forGood = included.some((id) => index.get(id)?.view.record.reversible === false);
  return forGood ? <p className="notice notice-bad">{GRACE_MEANS}</p> : null;
}

function Waiting({ included }: { readonly included: readonly ActionId[] }): ReactNode {
  const { index } = usePanel();
  const { behind, count } = useMemo(() => waitingBehind(included, index), [included, index]);
  if (count === 0) return null;
  const all = count === included.length;
  const who = all ? (count === 1 ? 'It' : 'They') : `${formatCount(count)} of them`;
  return (
    <p className="notice notice-plain">
      {who} will wait for {numbered(behind, 5)}, which {behind.length === 1 ? 'is' : 'are'} still undecided.
    </p>
  );
}

function flipped(before: ReadonlySet<ActionId>, id: ActionId): ReadonlySet<ActionId> {
  const next = new Set(before);
  if (!next.delete(id)) next.add(id);
  return next;
}

function barredBecause(count: number, missing: boolean): string | null {
  if (count === 0) return 'Nothing is left to decide.';
  return missing ? 'Say what to do instead.' : null;
}
