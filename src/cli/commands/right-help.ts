/**
 * What to do when this device may not, after the sentence that says so. The right of the command line is not raised from
 * here: an agent's shell could type it.
 */
export function rightHelp(why: string | null): string | undefined {
  return why?.includes('needs the right approve-all') === true
    ? 'The panel has it: countersign panel. Or start the home with: countersign up --cli-right approve-all'
    : undefined;
}
