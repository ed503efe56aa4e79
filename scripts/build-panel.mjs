// node scripts/build-panel.mjs FOLDER: the panel's files in a folder, and how large they are. Part of npm run build.
import './lib/node-version.mjs';
import { buildPanel } from './lib/build-panel.mjs';

const [outDir] = process.argv.slice(2);
if (outDir === undefined) {
  console.error('Name the folder to build the panel into; it is emptied first.');
  process.exit(2);
}
const files = await buildPanel(outDir);
const kilobytes = (/** @type {number} */ bytes) => `${(bytes / 1024).toFixed(1)} KiB`;
for (const { bytes, gzipBytes, name } of files)
  console.error(`${name}: ${kilobytes(bytes)}, ${kilobytes(gzipBytes)} compressed`);
const code = files.filter(({ name }) => name.endsWith('.js'));
const sum = (/** @type {typeof files} */ some) => kilobytes(some.reduce((all, { gzipBytes }) => all + gzipBytes, 0));
console.error(`The panel's code: ${sum(code)} compressed, ${sum(code.filter(({ first }) => first))} before it shows.`);
