// node scripts/build-programs.mjs FOLDER: the command line in a folder that the compiler filled. Part of npm run build.
import './lib/node-version.mjs';
import { buildPrograms } from './lib/build-programs.mjs';

const [outDir] = process.argv.slice(2);
if (outDir === undefined) {
  console.error('Name the folder that the compiler filled.');
  process.exit(2);
}
await buildPrograms(outDir);
