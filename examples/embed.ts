// The README shows what stands between the marks; a check keeps both equal.
// #region readme
import { createCountersign } from 'countersign';
import { memoryJournal } from 'countersign/journal/memory';
import { filesPack } from 'countersign/surfaces/files';

const { authority, agent } = await createCountersign({
  workspace: '/home/me/project',
  surfaces: [filesPack({ root: '/home/me/project' })],
  journal: memoryJournal(),
});

// The write waits for a person. The disk is untouched, and yet the agent reads what it wrote.
await agent.call({ tool: 'write_file', arguments: { path: 'notes.txt', content: 'hello' }, callId: null });
const read = await agent.call({ tool: 'read_text_file', arguments: { path: 'notes.txt' }, callId: null });
console.log(read);

// What a person is asked, with the digest that their signed decision must name.
for (const row of await authority.queue({ all: false })) console.log(row.seq, row.title, row.digest);
// #endregion
