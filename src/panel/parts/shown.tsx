import type { ReactNode } from 'react';
import { display, type Displayed, type DisplayFlag } from '../../model/display.ts';
import { displayName, displayPath } from '../../model/display-name.ts';

interface ShownProps {
  readonly text: string;
  readonly maxChars?: number;
}

/** Untrusted text on one line, kept from reordering what stands beside it. */
export function Shown({ text, maxChars }: ShownProps): ReactNode {
  return <Isolated shown={display(text, maxChars === undefined ? {} : { maxChars })} />;
}

/** The name of somebody or something. */
export function Name({ text, maxChars = 120 }: ShownProps): ReactNode {
  return <Isolated shown={displayName(text, { maxChars })} />;
}

export function Path({ text, maxChars = 480 }: ShownProps): ReactNode {
  const shown = displayPath(text, { maxChars });
  return (
    <bdi dir="ltr" className="path">
      {shown.text}
      <Flags flags={shown.flags} />
    </bdi>
  );
}

/** Text that a card has displayed already. */
function Isolated({ shown }: { readonly shown: Pick<Displayed, 'text' | 'flags'> }): ReactNode {
  return (
    <bdi>
      {shown.text}
      <Flags flags={shown.flags} />
    </bdi>
  );
}

const FLAGS: Readonly<Record<DisplayFlag, string>> = {
  escaped: 'hidden characters shown',
  'mixed-script': 'mixes alphabets',
  truncated: 'cut in the middle',
  'blank-flood': 'floods of blanks counted',
};

/** What somebody may have tried to hide in a text. A cut says so in the text itself. */
export function Flags({ flags }: { readonly flags: readonly DisplayFlag[] }): ReactNode {
  const told = flags.filter((flag) => flag !== 'truncated');
  if (told.length === 0) return null;
  return (
    <>
      {told.map((flag) => (
        <span key={flag} className="flag">
          ! {FLAGS[flag]}
        </span>
      ))}
    </>
  );
}
