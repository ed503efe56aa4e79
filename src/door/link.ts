import type { CountersignError } from '../base/errors.ts';

/** One connection that carries lines both ways, in order. It owns the bytes, the framing and the back-pressure. */
export interface Link {
  /** Hands over one line without its newline. After the end it does nothing. */
  send(line: string): void;
  /** Begins delivery. Called once. */
  start(handlers: LinkHandlers): void;
  /** Ends the connection after what was sent. */
  close(): void;
}

export interface LinkHandlers {
  line(text: string): void;
  /** What arrived is not lines of text. Nothing more is delivered; the owner answers and closes. */
  fault(error: CountersignError): void;
  /** The connection is over. Called once, last. */
  end(): void;
}
