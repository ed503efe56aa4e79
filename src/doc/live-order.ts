/**
 * How many live members stand before one, where members are only ever appended and removed: its index in a list that
 * can be addressed by index alone. A binary indexed tree over everything appended, O(log n) a step.
 */
export class LiveOrder {
  /** From 1: how many members among the last `lowestBit(i)` up to i live. */
  readonly #tree: number[] = [0];

  /** Members appended so far, removed ones too. */
  get appended(): number {
    return this.#tree.length - 1;
  }

  /** Adds a member at the end; its ticket never changes. */
  append(): number {
    const ticket = this.#tree.length;
    let live = 1;
    for (let i = ticket - 1; i > ticket - lowestBit(ticket); i -= lowestBit(i)) live += this.#tree[i] ?? 0;
    this.#tree.push(live);
    return ticket;
  }

  indexOf(ticket: number): number {
    let before = 0;
    for (let i = ticket - 1; i > 0; i -= lowestBit(i)) before += this.#tree[i] ?? 0;
    return before;
  }

  /** Takes a live member out. */
  remove(ticket: number): void {
    for (let i = ticket; i < this.#tree.length; i += lowestBit(i)) this.#tree[i] = (this.#tree[i] ?? 0) - 1;
  }
}

function lowestBit(i: number): number {
  return i & -i;
}
