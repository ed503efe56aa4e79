import type { Dice } from '../../support/hostile-dice.ts';

/** Something that takes input from outside. One is opened for many inputs; what they leave behind must be nothing. */
export interface Bench<Input> {
  /** Gives it the input. Answers what went wrong, in a sentence; throws what the code under test should have caught. */
  feed(input: Input): Promise<string | undefined>;
  /** Compares everything that can be seen with what was there at the beginning. Answers what is different. */
  compare(): string | undefined;
  close(): Promise<void>;
}

export interface Target<Input = never> {
  readonly name: string;
  /** Its part of a run, in thousandths. */
  readonly share: number;
  /** The input of these dice, as JSON could hold it, so that a crasher can be kept in a file. */
  make(dice: Dice): Input;
  open(): Promise<Bench<Input>>;
}

/** Hides the type of input, for a list of targets. The corpus holds what `make` made. */
export function target<Input>(made: Target<Input>): Target<unknown> {
  return {
    ...made,
    async open() {
      const bench = await made.open();
      return {
        // reason: an input comes from this target's `make`, today or from its corpus
        feed: (input) => bench.feed(input as Input),
        compare: () => bench.compare(),
        close: () => bench.close(),
      };
    },
  };
}
