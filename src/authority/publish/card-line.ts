import type { Action } from '../../model/action.ts';
import type { Card } from '../../model/card.ts';
import type { ActionContent } from '../../model/content.ts';
import { cardOf } from '../card-of.ts';
import type { Core } from '../core.ts';

export type CardLine = Pick<Card, 'title' | 'target' | 'inspectable'>;

/** The part of a card that a list shows. Made once for a content, whatever becomes of its action. */
export function cardLine(core: Core, action: Action): CardLine {
  const known = lines.get(action.content);
  if (known !== undefined) return known;
  const { inspectable, target, title } = cardOf(core, action);
  const line = { inspectable, target, title };
  lines.set(action.content, line);
  return line;
}

/** A content never changes, and neither does the surface that explains it. */
const lines = new WeakMap<ActionContent, CardLine>();
