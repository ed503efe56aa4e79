import { useCallback, useEffect, useRef, useState } from 'react';
import { messageOf } from '../../base/errors.ts';
import type { AuditLine, AuditLog } from '../../replica/types.ts';
import { mergeLines } from './merge-lines.ts';

const PAGE_LINES = 200;

export interface AuditLines {
  readonly lines: readonly AuditLine[];
  readonly state: 'more' | 'end';
  /** Why older ones are not here; `null` when nothing went wrong. */
  readonly trouble: string | null;
  readonly loadMore: () => void;
}

/** The log from its newest entry down, page by page, as far as somebody scrolls. `size`: its entries by now. */
export function useAuditLines(log: AuditLog, size: number): AuditLines {
  const [lines, setLines] = useState<readonly AuditLine[]>([]);
  const [state, setState] = useState<AuditLines['state']>('more');
  const [trouble, setTrouble] = useState<string | null>(null);
  const busy = useRef(false);
  const load = useCallback(
    async (before: number | undefined) => {
      if (busy.current) return;
      busy.current = true;
      try {
        const page = await log.page({ limit: PAGE_LINES, ...(before === undefined ? {} : { before }) });
        const older = before !== undefined;
        setLines((known) => mergeLines(known, page));
        if (older || page.length === 0) setTrouble(page.length === 0 && size > 0 ? NOT_HERE : null);
        setState((now) => (isFirst(page) || (now === 'end' && !older) ? 'end' : 'more'));
      } catch (cause) {
        // A part of the log that is not here: what is here stays, and the person may try again.
        setTrouble(messageOf(cause));
        setState('more');
      } finally {
        busy.current = false;
      }
    },
    [log, size],
  );
  const newest = lines[0]?.seq ?? 0;
  useEffect(() => {
    if (size > newest || size === 0) void load(undefined);
  }, [load, newest, size]);
  const oldest = lines.at(-1)?.seq;
  const loadMore = useCallback(() => {
    if (state !== 'end') void load(oldest);
  }, [load, oldest, state]);
  return { lines, state, trouble, loadMore };
}

const NOT_HERE = 'They have not arrived on this device yet.';

function isFirst(page: readonly AuditLine[]): boolean {
  return page.at(-1)?.seq === 1;
}
