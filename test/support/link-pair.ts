import { CountersignError } from '../../src/base/errors.ts';
import type { Link, LinkHandlers } from '../../src/door/link.ts';

export interface LinkEnd extends Link {
  /** Lines this end sent, in order. */
  readonly sent: readonly string[];
  /** Feeds a line to this end as if the other side had sent it. */
  receive(line: string): void;
  /** As if the bytes could not be cut into lines. */
  breakFraming(): void;
}

/** Two ends of one link in memory. Lines arrive in order, one microtask later, as from a socket. */
export function linkPair(): { readonly a: LinkEnd; readonly b: LinkEnd } {
  const ends: { a: End; b: End } = { a: end(() => ends.b), b: end(() => ends.a) };
  return ends;
}

type End = LinkEnd & { deliver(task: (handlers: LinkHandlers) => void): void; finish(): void };

function end(other: () => End): End {
  const sent: string[] = [];
  const early: ((handlers: LinkHandlers) => void)[] = [];
  let handlers: LinkHandlers | undefined;
  let over = false;
  const deliver = (task: (to: LinkHandlers) => void): void => {
    queueMicrotask(() => {
      if (handlers === undefined) early.push(task);
      else task(handlers);
    });
  };
  return {
    sent,
    deliver,
    receive: (line) => deliver((to) => to.line(line)),
    breakFraming: () => deliver((to) => to.fault(new CountersignError('bad-input', 'A line is not UTF-8.'))),
    send(line) {
      if (over) return;
      sent.push(line);
      other().receive(line);
    },
    start(to) {
      handlers = to;
      for (const task of early.splice(0)) deliver(task);
    },
    finish() {
      if (over) return;
      over = true;
      deliver((to) => to.end());
    },
    close() {
      if (over) return;
      other().finish();
      this.finish();
    },
  };
}
