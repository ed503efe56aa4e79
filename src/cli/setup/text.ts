import type { SetupFile, SetupGuide } from './facts.ts';

/** A guide for a person: what to put where, ready to copy. */
export function setupText({ files, overHttp, notes }: SetupGuide): string {
  const sections = files.map(section);
  if (overHttp !== null) {
    const head = 'Over HTTP instead, in the shell that starts the agent:';
    sections.push(`${head}\n\n${indent(overHttp.shell)}\n\nand ${section(overHttp.file)}`);
  }
  sections.push(notes.map((note) => `- ${note}`).join('\n'));
  return `${sections.join('\n\n')}\n`;
}

function section({ path, why, content }: SetupFile): string {
  return `in ${path} (${why}):\n\n${indent(content.trimEnd())}`;
}

function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ');
}
