import { interpretCard, type Card, type CardTemplate } from '../../model/card.ts';
import type { ActionContent } from '../../model/content.ts';
import { FILE_CARDS } from '../../surfaces/files/cards.ts';

/**
 * Card templates by kind, as this device knows them: a card is never taken from whoever answers (T1). Of the surfaces
 * only the cards are loaded: what they do needs much that a command has no use for.
 */
export const CARD_TEMPLATES: ReadonlyMap<string, CardTemplate> = new Map(
  Object.entries(FILE_CARDS).map(([op, card]) => [`file.${op}`, card]),
);

export function cardFor(content: ActionContent): Card {
  return interpretCard(CARD_TEMPLATES.get(content.kind.tag) ?? null, content);
}
