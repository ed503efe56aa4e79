import { useVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useMemo, useRef, useState, type CSSProperties, type ReactNode, type RefObject } from 'react';
import { formatCount } from '../../model/display.ts';
import { Path } from '../parts/shown.tsx';
import { DiffLineRow } from './diff-lines.tsx';
import { diffRows, type DiffRow } from './diff-rows.ts';
import type { FileView } from './file-diffs.ts';

interface DiffListProps {
  readonly files: readonly FileView[];
  readonly layout: 'unified' | 'split';
  /** What scrolls: the whole pane, so that a page has one scroll bar. */
  readonly scroller: RefObject<HTMLElement | null>;
}

type Line =
  | { readonly type: 'file'; readonly file: FileView }
  | { readonly type: 'row'; readonly row: DiffRow }
  | { readonly type: 'says'; readonly text: string };

const LINE_HEIGHT = 21;
const FILE_HEIGHT = 52;

/** The differences of any number of files with any number of lines; only what is in sight is in the page. */
export function DiffList({ files, layout, scroller }: DiffListProps): ReactNode {
  const list = useRef<HTMLDivElement>(null);
  const [margin, setMargin] = useState(0);
  const lines = useMemo(() => files.flatMap((file) => linesOf(file, layout)), [files, layout]);
  // Where the list begins inside what scrolls; the card above it may have any height.
  useLayoutEffect(() => {
    const [top, base] = [list.current, scroller.current];
    if (top === null || base === null) return;
    const measure = (): void =>
      setMargin(Math.round(top.getBoundingClientRect().top - base.getBoundingClientRect().top + base.scrollTop));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(base);
    if (top.previousElementSibling !== null) observer.observe(top.previousElementSibling);
    return () => observer.disconnect();
  }, [scroller]);
  const digits = useMemo(() => digitsOf(files), [files]);
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => (lines[at]?.type === 'file' ? FILE_HEIGHT : LINE_HEIGHT),
    scrollMargin: margin,
    overscan: 30,
  });
  return (
    <div ref={list} className={`diff diff-${layout}`} data-testid="diff" data-lines={lines.length} style={digits}>
      <div className="virtual" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index: at, key, start }) => {
          const line = lines[at];
          if (line === undefined) return null;
          return (
            <div
              key={key}
              ref={virtualizer.measureElement}
              data-index={at}
              className="virtual-item"
              style={{ transform: `translateY(${start - margin}px)` }}
            >
              {line.type === 'file' ? <FileHead file={line.file} /> : null}
              {line.type === 'row' ? <DiffLineRow row={line.row} /> : null}
              {line.type === 'says' ? <div className="diff-note">{line.text}</div> : null}
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** Room for line numbers, as many digits as the longest has. */
function digitsOf(files: readonly FileView[]): CSSProperties {
  const last = files
    .flatMap((file) => (file.type === 'diff' ? file.diff.hunks : []))
    .reduce((most, hunk) => Math.max(most, hunk.oldStart + hunk.oldLines, hunk.newStart + hunk.newLines), 10);
  // reason: a custom property is no member of the type
  return { '--digits': String(last).length } as CSSProperties;
}

function linesOf(file: FileView, layout: 'unified' | 'split'): readonly Line[] {
  const head: Line = { type: 'file', file };
  if (file.type === 'loading') return [head, { type: 'says', text: 'Comparing…' }];
  if (file.type === 'lost') return [head, { type: 'says', text: `Not here: ${file.why}` }];
  // What is all new or all gone has nothing to stand beside.
  const { after, before } = file.change;
  const own = before === null || after === null ? 'unified' : layout;
  return [head, ...diffRows(file.diff, own).map((row): Line => ({ type: 'row', row }))];
}

function FileHead({ file }: { readonly file: FileView }): ReactNode {
  const { change } = file;
  const diff = file.type === 'diff' ? file.diff : null;
  return (
    <div className="diff-file">
      <p className="diff-path">
        {change.from === null || change.from === change.path ? null : (
          <>
            <Path text={change.from} /> <span aria-label="becomes">→</span>{' '}
          </>
        )}
        <Path text={change.path} />
      </p>
      <p className="diff-facts">
        {diff === null || diff.hunks.length === 0 ? null : (
          <>
            <span className="diff-plus">+{formatCount(diff.added)}</span>{' '}
            <span className="diff-minus">−{formatCount(diff.removed)}</span>{' '}
          </>
        )}
        {diff?.notes.join(' · ')}
        {change.broken ? ' · also changed by something else between these steps' : ''}
      </p>
    </div>
  );
}
