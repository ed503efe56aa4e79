import type { SurfacePack } from '../../authority/ports.ts';
import { filesPack } from '../../surfaces/files/index.ts';

/** Which worlds a workspace has, from where it lies. */
export type PacksAt = (at: { readonly root: string; readonly stateDir: string }) => readonly SurfacePack[];

/** The worlds an agent may change in a workspace. The state folder is denied to it under every name (T6). */
export function surfacePacks(at: { readonly root: string; readonly stateDir: string }): readonly SurfacePack[] {
  return [filesPack({ root: at.root, denied: [at.stateDir] })];
}
