/** The agents we know the settings of; `generic` is any other MCP client. */
export const SETUP_AGENTS = ['claude-code', 'codex', 'cursor', 'generic'] as const;
export type SetupAgent = (typeof SETUP_AGENTS)[number];

/** What a configuration must name. */
export interface SetupFacts {
  /** Absolute. */
  readonly workspaceDir: string;
  /** The program and its arguments for MCP over stdio, complete: nothing is looked up in a shell. */
  readonly command: string;
  readonly args: readonly string[];
  /** The loopback endpoint; `null` while none is served. */
  readonly http: { readonly url: string; readonly tokenPath: string } | null;
}

/** A file to make, or to merge into the one that is there. */
export interface SetupFile {
  readonly path: string;
  readonly why: string;
  readonly content: string;
}

/** All that one agent needs. Printed as text by `setupText`, as it stands with `--json`. */
export interface SetupGuide {
  readonly agent: SetupAgent;
  readonly files: readonly SetupFile[];
  /** The same over HTTP, in place of the first file. */
  readonly overHttp: { readonly file: SetupFile; readonly shell: string } | null;
  readonly notes: readonly string[];
}

export function isSetupAgent(text: string): text is SetupAgent {
  return (SETUP_AGENTS as readonly string[]).includes(text); // reason: `includes` asks for its own type
}
