import type { ReactNode } from 'react';
import type { ActionView, Claim } from '../../replica/types.ts';
import { usePanel } from '../app/panel-context.ts';
import { Shown } from '../parts/shown.tsx';
import { claimWords, verbOf } from '../words/claim-words.ts';

interface ClaimLinesProps {
  readonly view: ActionView;
  /** Which of them are told here; the others are told elsewhere on the page. */
  readonly told?: (claim: Claim) => boolean;
}

/** PN-1: what was asked for on any device, and how far it has come. */
export function ClaimLines({ view, told = () => true }: ClaimLinesProps): ReactNode {
  const { gesturesState } = usePanel();
  const kept = gesturesState.keptBack.get(view.record.id);
  const claims = view.claims.filter(told);
  if (claims.length === 0 && kept === undefined) return null;
  return (
    <span className="claims">
      {kept === undefined ? null : (
        <span className="claim claim-own">{verbOf(kept)}: not saved yet, can be undone</span>
      )}
      {claims.map((claim) => (
        <span
          key={`${claim.device}/${claim.n}`}
          className={`claim ${claim.own ? 'claim-own' : ''} ${claim.state === 'refused' ? 'claim-refused' : ''}`}
        >
          <bdi>{claimWords(claim)}</bdi>
          {claim.note === null ? null : (
            <q className="claim-note">
              <Shown text={claim.note} maxChars={240} />
            </q>
          )}
        </span>
      ))}
    </span>
  );
}
