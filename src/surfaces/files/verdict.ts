import type { Verdict } from '../../model/content.ts';
import { nameOf, namesOf, type RelativePath } from './resource.ts';

/** Files that builds, installs and services run or obey. Lower case. */
const RUN_BY_TOOLS: ReadonlySet<string> = new Set([
  'appveyor.yml',
  'azure-pipelines.yml',
  'binding.gyp',
  'bitbucket-pipelines.yml',
  'build.gradle',
  'build.gradle.kts',
  'build.rs',
  'cargo.toml',
  'cmakelists.txt',
  'composer.json',
  'conftest.py',
  'containerfile',
  'deno.json',
  'docker-compose.yml',
  'dockerfile',
  'gemfile',
  'gnumakefile',
  'jenkinsfile',
  'justfile',
  'lefthook.yml',
  'makefile',
  'package.json',
  'pom.xml',
  'procfile',
  'pyproject.toml',
  'rakefile',
  'setup.cfg',
  'setup.py',
  'sitecustomize.py',
  'taskfile.yml',
  'vagrantfile',
]);
const SCRIPT = /\.(?:sh|bash|zsh|fish|command|ps1|psm1|bat|cmd|vbs|desktop)$/u;
const CONFIG_AS_CODE = /\.config\.[cm]?[jt]s$/u;

/** The author's word on a new text of a file: safe only for what nothing runs by itself. */
export function verdictOnText(path: RelativePath, mode: number, text: string | undefined): Verdict {
  const reason = riskOf(path) ?? riskOfContent(mode, text);
  if (reason !== undefined) return { autoApprovable: false, reason };
  return { autoApprovable: true, reason: 'An ordinary text file, which can be put back.' };
}

export function verdictOnFolder(paths: readonly RelativePath[]): Verdict {
  const reason = paths.map(riskOf).find((risk) => risk !== undefined);
  if (reason !== undefined) return { autoApprovable: false, reason };
  return { autoApprovable: true, reason: 'A new, empty folder, which can be removed again.' };
}

export function noVerdict(reason: string): Verdict {
  return { autoApprovable: false, reason };
}

function riskOf(path: RelativePath): string | undefined {
  const name = nameOf(path).toLowerCase();
  const hidden = namesOf(path).find((each) => each.startsWith('.'));
  if (hidden !== undefined) return `${hidden} is hidden: settings, hooks and pipelines live in such files.`;
  if (RUN_BY_TOOLS.has(name) || CONFIG_AS_CODE.test(name)) return `${nameOf(path)} is run or obeyed by other tools.`;
  if (SCRIPT.test(name)) return `${nameOf(path)} is a script.`;
  return undefined;
}

function riskOfContent(mode: number, text: string | undefined): string | undefined {
  if ((mode & 0o111) !== 0) return 'The file is executable.';
  if (text === undefined) return 'The file is not text.';
  return text.startsWith('#!') ? 'The file starts like a script.' : undefined;
}
