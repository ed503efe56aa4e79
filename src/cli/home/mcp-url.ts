/** The address of one workspace's agents: one endpoint serves every workspace of the home. */
export function mcpUrlFor(endpoint: string, workspaceDir: string): string {
  const url = new URL(endpoint);
  url.searchParams.set('workspace', workspaceDir);
  return url.href;
}
