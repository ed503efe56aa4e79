import { parseArgs } from 'node:util';
import { reporter, type Report } from './lib/figure.ts';

const BENCHES: Readonly<Record<string, () => Promise<{ readonly run: (report: Report) => Promise<void> }>>> = {
  propose: () => import('./propose.ts'),
  drain: () => import('./drain.ts'),
  cascade: () => import('./cascade.ts'),
  sync: () => import('./sync.ts'),
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false } },
});
const [name = ''] = positionals;
const load = BENCHES[name];
if (load === undefined) {
  process.stderr.write(`Which bench? ${Object.keys(BENCHES).join(', ')}\n`);
  process.exit(2);
}
const bench = await load();
await bench.run(reporter({ json: values.json, out: (line) => process.stdout.write(`${line}\n`) }));
