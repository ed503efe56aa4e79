/** Counters and gauges of one relay, as numbers for who embeds it and as text for Prometheus. */
export interface Metrics {
  read(): Readonly<Record<MetricName, number>>;
  text(): string;
}

const METRICS = {
  sockets: ['gauge', 'Sockets that are open.'],
  rooms: ['gauge', 'Documents in memory.'],
  stored_bytes: ['gauge', 'Bytes stored of all homes.'],
  updates: ['counter', 'Changes taken.'],
  durable: ['counter', 'Changes that are on the disk.'],
  broadcasts: ['counter', 'Frames sent on to others.'],
  closes: ['counter', 'Sockets that the relay ended for a reason of its own.'],
  refusals: ['counter', 'Requests and upgrades that were refused.'],
} as const satisfies Record<string, readonly ['gauge' | 'counter', string]>;

export type MetricName = keyof typeof METRICS;
type Kind<K> = { [N in MetricName]: (typeof METRICS)[N][0] extends K ? N : never }[MetricName];
export type Gauges = Readonly<Record<Kind<'gauge'>, () => number>>;

export class Meters implements Metrics {
  readonly #counts: Record<Kind<'counter'>, number> = { updates: 0, durable: 0, broadcasts: 0, closes: 0, refusals: 0 };
  readonly #gauges: Gauges;

  constructor(gauges: Gauges) {
    this.#gauges = gauges;
  }

  count(name: Kind<'counter'>, by = 1): void {
    this.#counts[name] += by;
  }

  read(): Readonly<Record<MetricName, number>> {
    const { rooms, sockets, stored_bytes } = this.#gauges;
    return { ...this.#counts, sockets: sockets(), rooms: rooms(), stored_bytes: stored_bytes() };
  }

  /** Prometheus text, version 0.0.4. */
  text(): string {
    const values = this.read();
    // reason: the keys of the table are the names
    const names = Object.keys(METRICS) as MetricName[];
    return names
      .map((name) => {
        const [kind, help] = METRICS[name];
        const full = `countersign_relay_${name}${kind === 'counter' ? '_total' : ''}`;
        return `# HELP ${full} ${help}\n# TYPE ${full} ${kind}\n${full} ${values[name]}\n`;
      })
      .join('');
  }
}
