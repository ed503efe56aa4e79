import { interpretCard, type Card, type CardTemplate } from '../../model/card.ts';
import type { ActionContent } from '../../model/content.ts';
import { surfacePacks } from '../home/surface-packs.ts';
import type { Source } from './source.ts';

/** Card templates by kind, as this device knows them: a card is never taken from whoever answers (T1). */
export function cardTemplates(source: Pick<Source, 'root' | 'folder'>): ReadonlyMap<string, CardTemplate> {
  const packs = surfacePacks({ root: source.root, stateDir: source.folder.dir });
  return new Map(packs.flatMap(({ surfaces }) => surfaces.map(({ kind, card }) => [kind.tag, card] as const)));
}

export function cardFor(templates: ReadonlyMap<string, CardTemplate>, content: ActionContent): Card {
  return interpretCard(templates.get(content.kind.tag) ?? null, content);
}
