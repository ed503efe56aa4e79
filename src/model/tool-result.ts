import type { JsonObject } from '../base/canonical-json.ts';
import type { Digest } from './ids.ts';

/** One block of a tool's answer; the shapes are MCP's. `data` is base64. */
export type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'resource';
      readonly resource: { readonly uri: string; readonly mimeType: string; readonly blob: string };
    };

export interface ToolResult {
  readonly content: readonly ContentBlock[];
  readonly structured?: JsonObject;
}

/** A tool's answer as an action keeps it: as it is when it is short, else the blob of its canonical bytes. */
export type StoredResult = { readonly inline: ToolResult } | { readonly blob: Digest };

/** A tool as it is listed to an agent. `inputSchema` is JSON Schema for an object. */
export interface ToolListing {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint?: boolean;
  };
}
