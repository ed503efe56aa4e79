import { execFileSync } from 'node:child_process';

/** One file as a commit changed it. `text`: what it holds after, `null` where the commit deleted it. */
export interface Change {
  readonly path: string;
  readonly text: string | null;
}

export interface Commit {
  readonly hash: string;
  readonly changes: readonly Change[];
}

const git = (...args: readonly string[]): Buffer =>
  execFileSync('git', args, { maxBuffer: 256 * 1024 * 1024, stdio: ['ignore', 'pipe', 'inherit'] });

/** Commits with one parent, oldest first. A shallow clone has fewer, and the first it has no parent to begin from. */
export function commits(): readonly string[] {
  return git('rev-list', '--reverse', '--no-merges', '--min-parents=1', 'HEAD').toString().trim().split('\n');
}

/** Every text file of a commit's tree. */
export function treeOf(commit: string): readonly { readonly path: string; readonly text: string }[] {
  const paths = git('ls-tree', '-r', '-z', '--name-only', commit).toString().split('\0').filter(Boolean);
  return paths.flatMap((path) => {
    const text = textAt(commit, path);
    return text === null ? [] : [{ path, text }];
  });
}

export function commitAt(hash: string): Commit {
  const lines = git('diff-tree', '-r', '-z', '--no-renames', '--name-status', `${hash}^`, hash).toString().split('\0');
  const changes: Change[] = [];
  for (let i = 0; i + 1 < lines.length; i += 2) {
    const [status = '', path = ''] = [lines[i], lines[i + 1]];
    const text = status === 'D' ? null : textAt(hash, path);
    // What is no text is left out, as the replayed agent would have no tool to write it.
    if (status === 'D' || text !== null) changes.push({ path, text });
  }
  return { hash, changes };
}

function textAt(commit: string, path: string): string | null {
  const bytes = git('cat-file', 'blob', `${commit}:${path}`);
  return bytes.includes(0) ? null : bytes.toString();
}
