// The README shows what stands between the marks; a check keeps both equal.
// #region readme
import { createCountersign } from 'countersign';
import { memoryJournal } from 'countersign/journal/memory';
import { filesPack } from 'countersign/surfaces/files';

const workspace = '/home/me/project';
const surfaces = [filesPack({ root: workspace })];
const { authority, person, stop } = await createCountersign({ workspace, surfaces, journal: memoryJournal() });
const client = { name: 'my-agent', version: '1.0.0' };
const agent = await authority.agent({ name: null, client, transportId: null, host: 'mcp', workspaceDir: workspace });

// The write waits: the disk is untouched, and yet the agent reads what it wrote.
await agent.call({ tool: 'write_file', arguments: { path: 'notes.txt', content: 'hello' }, callId: null });
console.log(await agent.call({ tool: 'read_text_file', arguments: { path: 'notes.txt' }, callId: null }));
// A person looks, and countersigns exactly what was shown.
console.log(await person.approve(authority.queue({ all: false }).map((row) => row.id)));
await stop();
// #endregion
