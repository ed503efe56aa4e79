/** Counters and gauges of one relay, as numbers for who embeds it and as text for Prometheus. */
export interface Metrics {
  read(): Readonly<Record<MetricName, number>>;
  text(): string;
}

export type MetricName =
  | 'sockets'
  | 'rooms'
  | 'updates'
  | 'broadcasts'
  | 'commits'
  | 'closes'
  | 'refusals'
  | 'stored_bytes';
