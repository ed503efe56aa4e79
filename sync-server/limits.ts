/** What one relay process lets its callers take. */
export const RELAY_LIMITS = {
  /** Sockets open at once. One home has a handful of devices; the rest is somebody's mistake. */
  connectionsMax: 256,
  /** Milliseconds a caller has to send its request head. Longer is a caller that holds a socket on purpose. */
  headMsMax: 10_000,
  /** Milliseconds that open requests get to end after the relay was told to stop. */
  stopMsMax: 5_000,
} as const;
