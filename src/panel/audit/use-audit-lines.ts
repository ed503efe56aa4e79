import { useCallback, useEffect, useRef, useState } from 'react';
import { messageOf } from '../../base/errors.ts';
import type { AuditLine, AuditLog } from '../../replica/types.ts';

const PAGE_LINES = 200;

export interface AuditLines {
  readonly lines: readonly AuditLine[];
  readonly state: 'loading' | 'more' | 'end';
  /** Why older ones are not here; `null` when nothing went wrong. */
  readonly trouble: string | null;
  readonly loadMore: () => void;
}

/** The log from its newest entry down, page by page, as far as somebody scrolls. */
export function useAuditLines(log: AuditLog): AuditLines {
  const [lines, setLines] = useState<readonly AuditLine[]>([]);
  const [state, setState] = useState<AuditLines['state']>('more');
  const [trouble, setTrouble] = useState<string | null>(null);
  const busy = useRef(false);
  const loadMore = useCallback(() => {
    if (busy.current || state === 'end') return;
    busy.current = true;
    setState('loading');
    const before = lines.at(-1)?.seq;
    log.page({ limit: PAGE_LINES, ...(before === undefined ? {} : { before }) }).then(
      (page) => {
        busy.current = false;
        setTrouble(null);
        setLines((known) => [...known, ...page.filter(({ seq }) => seq < (known.at(-1)?.seq ?? Infinity))]);
        setState(page.length === 0 || (page.at(-1)?.seq ?? 0) <= 1 ? 'end' : 'more');
      },
      (cause: unknown) => {
        // A tile that is not here: what is here stays, and the person may try again.
        busy.current = false;
        setTrouble(messageOf(cause));
        setState('more');
      },
    );
  }, [lines, log, state]);
  useEffect(() => {
    if (lines.length === 0 && state === 'more' && trouble === null) loadMore();
  }, [lines.length, loadMore, state, trouble]);
  return { lines, state, trouble, loadMore };
}
