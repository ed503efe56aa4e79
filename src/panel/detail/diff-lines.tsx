import { memo, type ReactNode } from 'react';
import { display } from '../../model/display.ts';
import { counted } from '../words/counts.ts';
import type { DiffRow, NumberedLine } from './diff-rows.ts';

/** UTF-16 units of one line before its middle is cut, which the text then says. */
const LINE_CHARS = 4_000;

/** One row of a difference. Lines wrap: nothing stands beyond an edge where nobody looks. */
export const DiffLineRow = memo(function DiffLineRow({ row }: { readonly row: DiffRow }): ReactNode {
  switch (row.type) {
    case 'gap':
      return (
        <div className="diff-gap">
          {row.hidden === null
            ? `line ${row.newStart}`
            : `${counted(row.hidden, 'unchanged line')} · line ${row.newStart}`}
        </div>
      );
    case 'note':
      return <div className="diff-note">{row.text}</div>;
    case 'blanks':
      return <div className={`diff-note diff-${nameOf(row.sign)}`}>… {counted(row.count, 'blank line')} …</div>;
    case 'line':
      return (
        <div className={`diff-line diff-${nameOf(row.line.sign)}`}>
          <span className="diff-number">{row.line.old ?? ''}</span>
          <span className="diff-number">{row.line.new ?? ''}</span>
          <Half line={row.line} />
        </div>
      );
    case 'pair':
      return (
        <div className="diff-pair">
          <Side line={row.left} side="old" />
          <Side line={row.right} side="new" />
        </div>
      );
  }
});

function Side({ line, side }: { readonly line: NumberedLine | null; readonly side: 'old' | 'new' }): ReactNode {
  if (line === null) return <div className="diff-half diff-empty" />;
  return (
    <div className={`diff-half diff-${nameOf(line.sign)}`}>
      <span className="diff-number">{(side === 'old' ? line.old : line.new) ?? ''}</span>
      <Half line={line} />
    </div>
  );
}

function Half({ line }: { readonly line: NumberedLine }): ReactNode {
  return (
    <>
      <span className="diff-sign" aria-label={SIGNS[line.sign]}>
        {line.sign === '-' ? '−' : line.sign === '\\' ? ' ' : line.sign}
      </span>
      <bdi dir="ltr" className="diff-text">
        {pieces(line)}
      </bdi>
    </>
  );
}

const SIGNS: Readonly<Record<NumberedLine['sign'], string>> = {
  '+': 'added',
  '-': 'removed',
  ' ': 'unchanged',
  '\\': 'note',
};

function nameOf(sign: NumberedLine['sign']): string {
  return sign === '+' ? 'added' : sign === '-' ? 'removed' : sign === '\\' ? 'remark' : 'same';
}

/** The line's text, made fit to be seen piece by piece, so that a mark never splits what is shown for one character. */
function pieces({ differs, reveal, sign, text }: NumberedLine): ReactNode {
  if (differs === null || text.length > LINE_CHARS) return shown(text, reveal);
  const [from, to] = wholeCharacters(text, differs);
  if (from >= to) return shown(text, reveal);
  return (
    <>
      {shown(text.slice(0, from), reveal)}
      <mark className={`diff-mark diff-mark-${nameOf(sign)}`}>{shown(text.slice(from, to), reveal)}</mark>
      {shown(text.slice(to), reveal)}
    </>
  );
}

/** Moves both ends off the middle of a surrogate pair and off combining marks. */
function wholeCharacters(text: string, [from, to]: readonly [number, number]): readonly [number, number] {
  let start = from;
  while (start > 0 && /^[\udc00-\udfff\p{M}\u200d]/u.test(text.slice(start, start + 1))) start -= 1;
  let end = to;
  while (end < text.length && /^[\udc00-\udfff\p{M}\u200d]/u.test(text.slice(end, end + 1))) end += 1;
  return [start, end];
}

function shown(text: string, reveal: boolean): string {
  if (text === '') return '';
  const spaced = reveal ? text.replaceAll(' ', '·').replaceAll('\t', '→   ') : text.replaceAll('\t', '    ');
  return display(spaced, { maxChars: LINE_CHARS }).text;
}
