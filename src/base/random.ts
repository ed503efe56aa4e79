/** Dice as a port. `bytes(n)` must be unpredictable in production and seeded in simulations. */
export interface Random {
  bytes(count: number): Uint8Array;
}
