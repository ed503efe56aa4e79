import { display, type DisplayOptions } from '../../model/display.ts';
import { runsRightToLeft } from '../../model/unicode-hazard.ts';

/** Left-to-right mark: takes no column, and only tells a terminal that reorders letters where to stop. */
const LRM = '\u200e';

/** Untrusted text on one line of a terminal. Also right for text that was displayed already. */
export function seen(text: string, options: Omit<DisplayOptions, 'multiline'> = {}): string {
  return display(text, options).text;
}

/** Untrusted text as lines of a terminal; each must get a rail of the view's own before it is printed. */
export function seenLines(text: string, options: Omit<DisplayOptions, 'multiline'> = {}): readonly string[] {
  return display(text, { ...options, multiline: true }).text.split('\n');
}

/**
 * A displayed value that shares its line with others. Right-to-left letters keep to themselves: without the marks
 * a terminal that reorders would pull the next column's digits into them. Applied last, after cutting and before padding.
 */
export function isolated(shown: string): string {
  return runsRightToLeft(shown) ? LRM + shown + LRM : shown;
}
