import type { Link } from '../../door/link.ts';

/** Counts the connections that are open through it, for idle exit. */
export class CountedLinks {
  #open = 0;

  get open(): number {
    return this.#open;
  }

  count(link: Link): Link {
    this.#open += 1;
    return {
      send: (line) => link.send(line),
      close: () => link.close(),
      start: (handlers) =>
        link.start({
          line: (text) => handlers.line(text),
          fault: (error) => handlers.fault(error),
          end: () => {
            this.#open -= 1;
            handlers.end();
          },
        }),
    };
  }
}
