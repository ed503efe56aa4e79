import { useEffect, useRef, useState, type ReactNode } from 'react';
import { messageOf } from '../../base/errors.ts';
import { formatCount } from '../../model/display.ts';
import type { AuditLog, AuditVerdict } from '../../replica/types.ts';
import { Button } from '../parts/button.tsx';

type Check =
  | { readonly type: 'none' }
  | { readonly type: 'running'; readonly done: number; readonly of: number }
  | { readonly type: 'done'; readonly verdict: AuditVerdict }
  | { readonly type: 'failed'; readonly why: string };

/** Milliseconds between two steps of the progress that are drawn. */
const PROGRESS_MS = 100;

/** This device checks the whole log itself: chain, checkpoints, signatures. */
export function Verify({ log }: { readonly log: AuditLog }): ReactNode {
  const [check, setCheck] = useState<Check>({ type: 'none' });
  const here = useRef(true);
  useEffect(() => {
    here.current = true;
    return () => {
      here.current = false;
    };
  }, []);
  const run = (): void => {
    let drawnMs = 0;
    setCheck({ type: 'running', done: 0, of: log.size });
    const onProgress = (done: number, of: number): void => {
      const nowMs = performance.now();
      if (nowMs - drawnMs < PROGRESS_MS && done < of) return;
      drawnMs = nowMs;
      if (here.current) setCheck({ type: 'running', done, of });
    };
    log.verify(onProgress).then(
      (verdict) => here.current && setCheck({ type: 'done', verdict }),
      // The check itself could not go on; that is not a verdict.
      (cause: unknown) => here.current && setCheck({ type: 'failed', why: messageOf(cause) }),
    );
  };
  return (
    <div className="verify">
      <Button look="main" barred={check.type === 'running' ? 'It is running.' : null} onPress={run}>
        {check.type === 'none' ? 'Verify' : 'Verify again'}
      </Button>
      <div className="verify-words" role="status">
        {check.type === 'running' ? (
          <>
            <progress aria-label="Verified so far" max={Math.max(check.of, 1)} value={check.done} />
            <span>
              {formatCount(check.done)} of {formatCount(check.of)} entries
            </span>
          </>
        ) : null}
        {check.type === 'done' ? <Verdict verdict={check.verdict} /> : null}
        {check.type === 'failed' ? (
          <p className="notice notice-bad">! The check could not finish: {check.why}</p>
        ) : null}
      </div>
    </div>
  );
}

const RESULTS: Readonly<Record<AuditVerdict['result'], string>> = {
  ok: 'Nothing was changed, left out or put in',
  tampered: 'The log was changed after it was written',
  incomplete: 'A part of the log is missing here',
  fork: 'Two different logs were shown for the same time',
};

function Verdict({ verdict }: { readonly verdict: AuditVerdict }): ReactNode {
  const good = verdict.result === 'ok';
  return (
    <p className={`notice ${good ? 'notice-good' : 'notice-bad'}`}>
      <span aria-hidden="true">{good ? '✓' : '!'}</span> {RESULTS[verdict.result]}: {formatCount(verdict.entries)}{' '}
      entries checked on this device.{verdict.result === 'ok' ? '' : ` ${verdict.why}`}
    </p>
  );
}
