import type { ReactNode } from 'react';
import type { Card, ShownField } from '../../model/card.ts';
import { formatCount } from '../../model/display.ts';
import { Flags } from '../parts/shown.tsx';

interface FieldsProps {
  readonly card: Card;
  /** Fields that are shown in full elsewhere: the two sides of a difference. */
  readonly without: ReadonlySet<ShownField['kind']>;
}

/** The card's lines: every argument with its type. */
export function Fields({ card, without }: FieldsProps): ReactNode {
  const fields = card.fields.filter(({ kind }) => !without.has(kind));
  if (fields.length === 0) return null;
  return (
    <dl className="fields">
      {fields.map((field, at) => (
        <div key={`${field.label} ${at}`} className="field-row">
          <dt>
            <bdi>{field.label}</bdi>
            {TOLD_TYPES.has(field.type) ? <span className="field-type"> {field.type}</span> : null}
          </dt>
          <dd className={field.value.includes('\n') ? 'field-block' : undefined}>
            <bdi dir={field.kind === 'path' || field.kind === 'url' ? 'ltr' : undefined}>{field.value}</bdi>
            <Flags flags={field.flags} />
            {field.cutBytes === 0 ? null : (
              <span className="flag">! {formatCount(field.cutBytes)} bytes of it are not shown</span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Types a value does not show by itself. */
const TOLD_TYPES: ReadonlySet<ShownField['type']> = new Set<ShownField['type']>([
  'number',
  'boolean',
  'null',
  'array',
  'object',
]);
