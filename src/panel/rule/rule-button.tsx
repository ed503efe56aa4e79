import type { ReactNode } from 'react';
import { usePanel } from '../app/panel-context.ts';
import type { Located } from '../inbox/located.ts';
import { Button } from '../parts/button.tsx';
import { ruleOffer } from './rule-offer.ts';

interface RuleButtonProps {
  readonly located: Located;
  readonly armed?: boolean;
  /** Runs before the sheet opens. */
  readonly onPress?: () => void;
}

/** Opens the sheet for a rule; where there can be none, says why in words that every finger reaches. */
export function RuleButton({ armed = true, located, onPress }: RuleButtonProps): ReactNode {
  const { dispatch, snapshot } = usePanel();
  const offer = ruleOffer(located, snapshot.right);
  if (offer === null) return null;
  if (offer.barred !== null) return <p className="hint rule-barred">{offer.barred}</p>;
  return (
    <Button
      look="quiet"
      armed={armed}
      onPress={() => {
        onPress?.();
        dispatch({ type: 'rule', id: located.view.record.id });
      }}
    >
      Always allow this kind…
    </Button>
  );
}
