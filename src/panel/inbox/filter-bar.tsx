import type { ReactNode } from 'react';
import { usePanel } from '../app/panel-context.ts';
import { counted } from '../words/counts.ts';

/** Narrows the list: by words, by workspace, to what needs a person. */
export function FilterBar({ rows }: { readonly rows: number }): ReactNode {
  const { dispatch, snapshot, ui } = usePanel();
  const { filter } = ui;
  return (
    <div className="toolbar" role="search">
      <input
        type="search"
        className="search"
        aria-label="Filter by words or #number"
        aria-keyshortcuts="/"
        placeholder="Filter: words or #12"
        data-search
        value={filter.text}
        onChange={(event) => dispatch({ type: 'filter', filter: { ...filter, text: event.target.value } })}
      />
      {snapshot.workspaces.length < 2 ? null : (
        <select
          className="select"
          aria-label="Workspace"
          value={filter.workspace ?? ''}
          onChange={(event) => {
            const chosen = snapshot.workspaces.find(({ id }) => id === event.target.value);
            dispatch({ type: 'filter', filter: { ...filter, workspace: chosen?.id ?? null } });
          }}
        >
          <option value="">All workspaces</option>
          {snapshot.workspaces.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
      <button
        type="button"
        className="chip"
        aria-pressed={filter.needsYou}
        onClick={() => dispatch({ type: 'filter', filter: { ...filter, needsYou: !filter.needsYou } })}
      >
        For you
      </button>
      <span className="hidden-text" role="status">
        {counted(rows, 'row')} shown
      </span>
    </div>
  );
}
