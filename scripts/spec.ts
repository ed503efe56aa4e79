// npm run spec: where the specification and the titles of the tests disagree.
import { readOwn, testSources } from '../test/checks/repository.ts';
import { compareSpec, specRules, threatRows } from '../test/checks/spec-ids.ts';

const rules = specRules(readOwn('docs/spec.md'));
const threats = threatRows(readOwn('docs/threat-model.md'));
const { unknown, unproven, early } = compareSpec({ rules, threats, tests: testSources() });

const built = rules.filter(({ status }) => status === 'built').length;
console.log(
  `${built} of ${rules.length} rules are built; ${threats.filter((row) => row.proofs.length > 0).length} of ${threats.length} threats and failures have a proof.`,
);
list('In a title, but in no document', unknown);
list('Built, but no title names it', unproven);
list('Planned, but a title names it', early);
process.exitCode = unknown.length + unproven.length + early.length === 0 ? 0 : 1;

function list(heading: string, ids: readonly string[]): void {
  if (ids.length > 0) console.log(`${heading}: ${ids.join(', ')}`);
}
