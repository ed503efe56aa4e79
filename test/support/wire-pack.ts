import { appendFileSync, existsSync, readFileSync, rmSync, watch } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../src/base/canonical-json.ts';
import type { Surface, SurfacePack } from '../../src/authority/ports.ts';

/**
 * A connection to somebody else's service, for tests that look at the product from outside: each message is a line in
 * `sent.log` under its key. Files of a test play the line: `drop` loses the answer after the message has arrived, `die`
 * ends the process there, `wait` holds it back until that file is gone.
 */
export function wirePack(dir: string): SurfacePack {
  const surfaces = [message(dir, 'send_message', true), message(dir, 'call_webhook', false)];
  return { name: 'wire', surfaces: surfaces as unknown as readonly Surface[], reads: [] };
}

/** What the other side has, oldest first. */
export function sentOver(dir: string): readonly { readonly key: string; readonly text: string }[] {
  if (!existsSync(join(dir, 'sent.log'))) return [];
  const lines = readFileSync(join(dir, 'sent.log'), 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as { key: string; text: string });
}

function message(dir: string, name: string, probeable: boolean): Surface<{ text: string }> {
  const probe: Surface['probe'] = async ({ intent }) =>
    sentOver(dir).some(({ key }) => key === intent.idempotencyKey)
      ? { answer: 'applied', evidence: {} }
      : { answer: 'not-applied', why: 'The other side does not know it.' };
  return {
    kind: { tag: `wire.${name}`, label: name },
    tool: {
      name,
      title: name,
      description: 'Sends a message.',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      annotations: { readOnlyHint: false },
      parse: (input) => ({ text: String((input as JsonObject)['text']) }),
    },
    card: {
      title: 'Send {0}',
      target: '/arguments/text',
      fields: [{ label: 'Text', pointer: '/arguments/text', as: 'text' }],
    },
    async describe({ text }) {
      return {
        effect: { text },
        preconditions: [],
        writes: [`wire:${text}`],
        effectClass: probeable ? 'E3' : 'E4',
        reversible: true,
        reversibleWhy: 'It can be called back.',
        awaitDecision: false,
        verdict: { autoApprovable: false, reason: 'It leaves the machine.' },
        lane: null,
        unchanged: false,
      };
    },
    async simulate() {
      return { content: [{ type: 'text', text: 'sent' }] };
    },
    async apply({ content, intent }) {
      await gone(dir, 'wait');
      const line = { key: intent.idempotencyKey, text: String(content.effect['text']) };
      appendFileSync(join(dir, 'sent.log'), `${JSON.stringify(line)}\n`);
      if (existsSync(join(dir, 'die'))) process.kill(process.pid, 'SIGKILL');
      if (existsSync(join(dir, 'drop'))) throw new Error('The connection was lost.');
      return { type: 'applied', evidence: {}, drift: null };
    },
    ...(probeable ? { probe } : {}),
    async revert() {
      rmSync(join(dir, 'sent.log'));
      return { type: 'reverted' };
    },
  };
}

function gone(dir: string, name: string): Promise<void> {
  const path = join(dir, name);
  return new Promise((resolve) => {
    const look = (): void => {
      if (existsSync(path)) return;
      watcher.close();
      resolve();
    };
    const watcher = watch(dir, look);
    look();
  });
}
