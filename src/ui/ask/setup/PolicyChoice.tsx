import { RECIPE_IDS } from '../../../lab/contract/settings.ts';
import { pickOf } from '../../kit/pick-of.ts';
import { Select } from '../../kit/Select.tsx';
import { useEffect } from 'react';
import type { EvaluableRun } from '../../../lab/contract/evaluations.ts';
import { Term } from '../../kit/words/explain/Term.tsx';
import {
  NO_SIDES,
  parsePolicyText,
  policyText,
  someSides,
  type AskSides,
} from '../store/asked-policy.ts';
import { useAsk } from '../store/ask-store.ts';
import { policyName } from '../siblings/writer.ts';
import { readAdapters } from '../store/actions.ts';

type Side = AskSides['beside'];

/** Option value for no adapter. */
const NONE = '';

/** The options: stored adapters by run, and the one named in the address. */
function choicesOf(runs: readonly EvaluableRun[], chosen: Side) {
  const kept = runs.map(({ id, name, steps }) => ({
    group: name,
    // The step comes first, because a long run name is cut.
    items: [null, ...steps].map((step) => ({
      value: policyText({ kind: 'run', run: id, step }),
      label: `${step === null ? 'newest snapshot' : `step ${step}`} of ${name}`,
    })),
  }));
  const texts = new Set(kept.flatMap(({ items }) => items.map(({ value }) => value)));
  const named = chosen && chosen !== 'alone' && !texts.has(policyText(chosen)) ? [chosen] : [];
  return [
    ...kept,
    ...named.map((policy) => ({ value: policyText(policy), label: policyName(policy, runs) })),
  ];
}

const valueOf = (side: Side): string => (side === null ? NONE : policyText(side));

/** Updates the address; null again if neither side is chosen. */
const change = (by: Partial<AskSides>): void => {
  const { address, setAddress } = useAsk.getState();
  setAddress({ sides: someSides({ ...(address.sides ?? NO_SIDES), ...by }) });
};

/** An adapter brings the recipe it was trained with; another can be chosen after it. */
function askAsTrained(policy: Exclude<Side, 'alone' | null>, runs: readonly EvaluableRun[]): void {
  if (policy.kind !== 'run') return;
  const run = runs.find(({ id }) => id === policy.run);
  const recipe = run && pickOf(RECIPE_IDS, run.recipe);
  const { address, setAddress } = useAsk.getState();
  if (recipe) setAddress({ settings: { ...address.settings, recipe }, run: false });
}

/** Which adapter of a training run answers, and which other policy it is compared with. */
export const PolicyChoice = () => {
  const runs = useAsk((state) => state.adapters);
  const sides = useAsk((state) => state.address.sides) ?? NO_SIDES;
  useEffect(() => {
    void readAdapters();
  }, []);
  // Nothing to choose before the first training run.
  if ((runs ?? []).length === 0 && !someSides(sides)) return null;
  const { policy, beside } = sides;
  return (
    <div className="policy-choice" role="group" aria-label="Adapter">
      <Select
        size="xs"
        label="Adapter"
        data={[{ value: NONE, label: 'none' }, ...choicesOf(runs ?? [], policy)]}
        value={valueOf(policy)}
        onChange={({ currentTarget: { value } }) => {
          const next = parsePolicyText(value);
          change({ policy: next === 'alone' ? null : next });
          if (next !== null && next !== 'alone') askAsTrained(next, runs ?? []);
        }}
      />
      <Select
        size="xs"
        label="Compare with"
        data={[
          { value: NONE, label: 'nothing' },
          { value: 'alone', label: 'the model without adapter' },
          ...choicesOf(runs ?? [], beside),
        ]}
        value={valueOf(beside)}
        onChange={({ currentTarget: { value } }) => change({ beside: parsePolicyText(value) })}
      />
      <p className="fine">
        Pick a trained <Term id="lora">adapter</Term>, from a <Term id="snapshot">snapshot</Term> of
        a run. It is asked with its run’s recipe and settings, unless you set others. With a second
        choice, both answers are shown side by side.
      </p>
    </div>
  );
};
