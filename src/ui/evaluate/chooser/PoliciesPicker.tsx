import { Checkbox } from '@mantine/core';
import { Select } from '../../kit/Select.tsx';
import { useEffect, useMemo } from 'react';
import { Link } from 'wouter';
import type { EvaluatedPolicy } from '../../../evaluate/systems/spec.ts';
import type { EvaluableRun } from '../../../lab/contract/evaluations.ts';
import { refreshCheckpoints } from '../../models/store/checkpoint-actions.ts';
import { useModels } from '../../models/store/models-store.ts';
import { keyOf, policyChoices } from '../../setup/form/policy-words.ts';
import { useSetup } from '../../setup/setup-store.ts';
import { readRuns } from '../store/evaluate-actions.ts';
import { useEvaluateDraft } from '../store/evaluate-draft.ts';
import { useEvaluate } from '../store/evaluate-store.ts';

/** By value: choices loaded from storage are different objects. */
const sameAs =
  (policy: EvaluatedPolicy) =>
  (other: EvaluatedPolicy): boolean =>
    JSON.stringify(policy) === JSON.stringify(other);

const change = (policies: EvaluatedPolicy[]): void =>
  useEvaluateDraft.getState().change({ policies });

const toggle = (policy: EvaluatedPolicy): void => {
  const { policies } = useEvaluateDraft.getState().spec;
  const same = sameAs(policy);
  change(policies.some(same) ? policies.filter((one) => !same(one)) : [...policies, policy]);
};

/** A trained run: its last adapter, or an earlier one. */
const RunLine = ({ run, chosen }: { run: EvaluableRun; chosen: readonly EvaluatedPolicy[] }) => {
  const mine = chosen.filter((one) => one.kind === 'run' && one.run === run.id);
  // Earlier steps are in a list, because a long run has too many for checkboxes.
  const left = run.steps.filter(
    (step) => !mine.some((one) => one.kind === 'run' && one.step === step),
  );
  return (
    <li className="run-line">
      <Checkbox
        size="xs"
        label={`${run.name}, last adapter`}
        checked={chosen.some(sameAs({ kind: 'run', run: run.id, step: null }))}
        onChange={() => toggle({ kind: 'run', run: run.id, step: null })}
      />
      {mine.map((one) =>
        one.kind === 'run' && one.step !== null ? (
          <Checkbox
            key={one.step}
            size="xs"
            label={`step ${one.step}`}
            checked
            onChange={() => toggle(one)}
          />
        ) : null,
      )}
      {left.length > 0 ? (
        <Select
          size="xs"
          aria-label={`Another step of ${run.name}`}
          data={[
            { value: '', label: 'another step …' },
            ...left.map((step) => ({ value: String(step), label: `step ${step}` })),
          ]}
          // The list adds entries; each one then appears as a checked box.
          value=""
          onChange={({ currentTarget: { value } }) =>
            value !== '' && toggle({ kind: 'run', run: run.id, step: Number(value) })
          }
        />
      ) : null}
    </li>
  );
};

/** The policies: built-in, adapters trained here, checkpoints, servers. */
export const PoliciesPicker = () => {
  const chosen = useEvaluateDraft(({ spec }) => spec.policies);
  const runs = useEvaluate((state) => state.runs);
  const ready = useEvaluate((state) => state.status === 'ready');
  const resources = useSetup((state) => state.resources);
  const checkpoints = useModels((state) => state.checkpoints);
  useEffect(() => {
    void refreshCheckpoints();
  }, []);
  useEffect(() => {
    if (ready) void readRuns();
  }, [ready]);
  // A selected model that was deleted stays listed, so that it can be unselected.
  const kept = useMemo(
    () => chosen.flatMap((one) => (one.kind === 'base' ? [one.policy] : [])),
    [chosen],
  );
  const choices = policyChoices(resources, checkpoints, kept);
  return (
    <section aria-label="Models" className="chooser-part">
      <h2>Models</h2>
      <ul className="policy-lines">
        {choices.map(({ ref, label, group }) => (
          <li key={keyOf(ref)}>
            <Checkbox
              size="xs"
              label={ref.kind === 'built-in' ? 'built-in, without adapter' : `${label} · ${group}`}
              checked={chosen.some(sameAs({ kind: 'base', policy: ref }))}
              onChange={() => toggle({ kind: 'base', policy: ref })}
            />
          </li>
        ))}
        {runs.map((run) => (
          <RunLine key={run.id} run={run} chosen={chosen} />
        ))}
      </ul>
      <p className="fine">
        Add more on <Link href="/models">Models</Link>; adapters come from{' '}
        <Link href="/train?new=1">training runs</Link>.
      </p>
    </section>
  );
};
