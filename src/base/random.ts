/** Dice as a port. `bytes(n)` must be unpredictable in production and seeded in simulations. */
export interface Random {
  bytes(count: number): Uint8Array;
}

/** Dice that are asked for in bulk: a call to the system costs the same for 16 bytes as for 4,096. No byte is given out twice. */
export function pooled(random: Random, poolBytes = 4_096): Random {
  let pool: Uint8Array = new Uint8Array(0);
  let used = 0;
  return {
    bytes(count) {
      if (count > poolBytes) return random.bytes(count);
      if (used + count > pool.length) {
        pool = random.bytes(poolBytes);
        used = 0;
      }
      used += count;
      return pool.slice(used - count, used);
    },
  };
}
