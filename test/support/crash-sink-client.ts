import { request } from 'node:http';
import type { SinkEntry } from './crash-sink.ts';

/** Where a case's effects go: a port of this machine, and a name that no other case has. */
export interface SinkPlace {
  readonly port: number;
  readonly place: string;
}

/** One request, one connection: when it is closed, nothing of it is under way any more. */
function ask(port: number, method: string, parts: readonly string[]): Promise<unknown> {
  const path = `/${parts.map(encodeURIComponent).join('/')}`;
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => (text += part));
      response.on('end', () => resolve(JSON.parse(text)));
    });
    sent.on('error', reject);
    sent.end();
  });
}

export type SinkKind = 'keyed' | 'message' | 'blind';

export async function doAtSink(at: SinkPlace, kind: SinkKind, key: string, name: string): Promise<void> {
  await ask(at.port, 'POST', ['do', at.place, kind, key, name]);
}

export async function undoAtSink(at: SinkPlace, key: string): Promise<void> {
  await ask(at.port, 'POST', ['undo', at.place, 'keyed', key]);
}

/** Whether an effect of this key stands. */
export async function standsAtSink(at: SinkPlace, key: string): Promise<boolean> {
  // reason: what the sink answers, a program of ours
  const entry = (await ask(at.port, 'GET', ['at', at.place, 'keyed', key])) as SinkEntry;
  return entry.effects > entry.undone;
}

export async function sinkEntries(at: SinkPlace): Promise<Readonly<Record<string, SinkEntry>>> {
  // reason: as above
  return (await ask(at.port, 'GET', ['all', at.place])) as Readonly<Record<string, SinkEntry>>;
}

/** Gives a place the world of another. */
export async function copyAtSink(at: SinkPlace, from: string): Promise<void> {
  await ask(at.port, 'POST', ['copy', at.place, from]);
}

export async function forgetAtSink(at: SinkPlace): Promise<void> {
  await ask(at.port, 'DELETE', ['all', at.place]);
}

/** Resolves when no sender's connection is open any more. */
export async function sinkQuiet(port: number): Promise<void> {
  await ask(port, 'GET', ['quiet']);
}
