import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { interpretCard, type CardTemplate } from '../../src/model/card.ts';
import { contentOf, digestOf } from '../support/action-content.ts';
import { forbiddenIn } from '../support/seen-text.ts';

const SEND: CardTemplate = {
  title: 'Send {1} to {0}',
  target: 'recipient',
  fields: [
    { label: 'recipient', pointer: '/arguments/to', as: 'recipient' },
    { label: 'amount', pointer: '/arguments/amount', as: 'amount' },
    { label: 'text', pointer: '/arguments/text', as: 'text' },
  ],
};

const text = fc.string({ unit: 'binary', maxLength: 300 });
const template = fc.constantFrom(SEND, null);

test('[T1] the card is a function of tool, arguments and effect; nothing else of the content reaches it', () => {
  fc.assert(
    fc.property(template, text, text, text, (card, to, words, noise) => {
      const shown = { arguments: { to, amount: 5, text: words } };
      const other = contentOf({
        ...shown,
        kind: { tag: 'x.y', label: noise },
        toolDigest: digestOf('c'),
        preconditions: [{ resource: noise, expect: noise }],
        writes: [noise],
        effectClass: 'E4',
        reversible: false,
        awaitDecision: true,
        lane: noise,
      });
      expect(interpretCard(card, other)).toEqual(interpretCard(card, contentOf(shown)));
    }),
  );
});

test('[T1] an argument changes its own field and the title, never another field', () => {
  fc.assert(
    fc.property(text, text, text, (to, words, otherWords) => {
      const one = interpretCard(SEND, contentOf({ arguments: { to, amount: 5, text: words } }));
      const two = interpretCard(SEND, contentOf({ arguments: { to, amount: 5, text: otherWords } }));
      expect(two.title).toBe(one.title);
      expect(two.target).toBe(one.target);
      expect(two.fields.slice(0, 2)).toEqual(one.fields.slice(0, 2));
    }),
  );
});

test('[T2] title, target, labels and values hold nothing a screen may not show, and one line each where promised', () => {
  fc.assert(
    fc.property(template, fc.dictionary(text, text, { maxKeys: 5 }), text, (card, more, to) => {
      const { title, target, fields } = interpretCard(card, contentOf({ tool: to, arguments: { ...more, to } }));
      const lines = [title, target, ...fields.map(({ label }) => label)];
      expect(lines.flatMap(forbiddenIn)).toEqual([]);
      expect(fields.flatMap(({ value }) => forbiddenIn(value.replaceAll('\n', '')))).toEqual([]);
    }),
  );
});
