import { useId, type ReactNode } from 'react';
import type { RuleTest } from '../../model/rules.ts';
import { Shown } from '../parts/shown.tsx';
import type { OfferedTest } from './offered-tests.ts';
import { testProblem } from './rule-draft.ts';

interface TestLinesProps {
  readonly tests: readonly OfferedTest[];
  readonly onTests: (tests: readonly OfferedTest[]) => void;
}

/** What the rule asks of each action: ticked, and corrected where that can mean less or more. */
export function TestLines({ onTests, tests }: TestLinesProps): ReactNode {
  const change = (at: number, over: Partial<OfferedTest>): void =>
    onTests(tests.map((each, index) => (index === at ? { ...each, ...over } : each)));
  return (
    <fieldset className="rule-tests">
      <legend>Only where</legend>
      {tests.map((offered, at) => (
        <TestLine
          key={`${offered.test.is} ${offered.test.field}`}
          offered={offered}
          onOver={(over) => change(at, over)}
        />
      ))}
      {tests.some(({ on }) => on) ? null : (
        <p className="notice notice-warn">
          <span aria-hidden="true">!</span>
          <span>Without any of these it covers everything of this kind, whatever it names.</span>
        </p>
      )}
    </fieldset>
  );
}

interface TestLineProps {
  readonly offered: OfferedTest;
  readonly onOver: (over: Partial<OfferedTest>) => void;
}

function TestLine({ offered, onOver }: TestLineProps): ReactNode {
  const { label, on, test } = offered;
  const id = useId();
  const problem = testProblem(offered);
  return (
    <div className="rule-test">
      <label className="line-pick">
        <input type="checkbox" checked={on} onChange={() => onOver({ on: !on })} />
        <span>
          <Shown text={WORDS[test.is](label)} maxChars={120} />
        </span>
      </label>
      {test.is === 'path' || test.is === 'at-most' ? (
        <input
          className="text-input"
          aria-label={WORDS[test.is](label)}
          aria-invalid={problem === null ? undefined : true}
          aria-describedby={problem === null ? undefined : id}
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          dir="ltr"
          inputMode={test.is === 'at-most' ? 'numeric' : undefined}
          disabled={!on}
          value={test.is === 'path' ? test.glob : shownNumber(test.most)}
          onChange={({ target }) => onOver({ test: rewritten(test, target.value) })}
        />
      ) : (
        <span className="rule-value">
          <Shown text={test.is === 'host' ? test.host : test.equals} maxChars={300} />
        </span>
      )}
      {problem === null ? null : (
        <p id={id} className="rule-problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

const WORDS: Readonly<Record<RuleTest['is'], (label: string) => string>> = {
  path: (label) => `${label} matches`,
  host: (label) => `The host of ${label} is`,
  recipient: (label) => `${label} is exactly`,
  text: (label) => `${label} is exactly`,
  'at-most': (label) => `${label} is at most`,
};

/** What is not a number yet is kept as it was written, and not signed. */
function rewritten(test: Extract<RuleTest, { is: 'path' | 'at-most' }>, written: string): RuleTest {
  if (test.is === 'path') return { ...test, glob: written };
  return { ...test, most: /^\d{1,15}$/u.test(written) ? Number(written) : Number.NaN };
}

function shownNumber(most: number): string {
  return Number.isNaN(most) ? '' : String(most);
}
