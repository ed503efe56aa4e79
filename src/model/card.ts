/** How a field's value is meant to be read. */
export type FieldKind = 'path' | 'text' | 'bytes' | 'url' | 'recipient' | 'diff' | 'amount';

/** One line of a card. `pointer` is an RFC 6901 JSON pointer into the action's content (`/arguments/path`). */
export interface CardField {
  readonly label: string;
  readonly pointer: string;
  readonly as: FieldKind;
}

/**
 * What a person is shown, as data: interpreted by the device over the canonical content, never by the agent.
 * `title` holds `{n}` for the n-th field, from 0: `Write {0}`. `target` is the field that names what is touched.
 * `null` instead of a template: "cannot be inspected".
 */
export interface CardTemplate {
  readonly title: string;
  readonly target: string;
  readonly fields: readonly CardField[];
}
