import { useEffect } from 'react';
import type { PolicyChoice } from '../../../lab/contract/settings.ts';
import { useSetup } from '../../setup/setup-store.ts';
import { readAdapters, useAdapters } from '../policies/adapters-store.ts';
import { policiesOf } from '../policies/asked-policy.ts';
import { policyName } from '../siblings/writer.ts';
import { useRun } from '../store/run-store.ts';
import { useView } from '../store/view-store.ts';

/** Which policies answer, where that is not simply the setup's: the setup says it too, and may be put away. */

/** Runs whose adapters are kept; null until they were read, which is begun here. */
const useRuns = () => {
  const runs = useAdapters((state) => state.runs);
  useEffect(() => {
    if (useAdapters.getState().runs === null) void readAdapters();
  }, []);
  return runs;
};

type Runs = NonNullable<ReturnType<typeof useRuns>>;

/** Whether this browser has it; a policy without an adapter is the setup’s, which says so itself. */
const isHere = (policy: PolicyChoice, runs: Runs): boolean =>
  policy.kind !== 'run' || runs.some(({ id }) => id === policy.run);

/** Names the policy that answers; of two policies the second, because the first is named before it. */
const Sentence = ({ policies, runs }: { policies: readonly PolicyChoice[]; runs: Runs }) => {
  const after = policies.at(-1);
  const before = policies.length > 1 ? policies[0] : undefined;
  return (
    <>
      Answered by{after?.kind === 'run' ? ' the adapter of' : ''} <b>{policyName(after, runs)}</b>
      {before ? (
        <>
          , compared with <b>{policyName(before, runs)}</b>
        </>
      ) : null}
      .
    </>
  );
};

/** Before the first press: what the address asks with, and the way to ask without it. */
export const WillAskWith = () => {
  const runs = useRuns();
  const sides = useView(({ address }) => address.sides);
  const setup = useSetup((state) => state.setup);
  const policies = policiesOf(sides, setup);
  if (!policies || !runs) return null;
  return (
    <p className="asked-with">
      <Sentence policies={policies} runs={runs} />{' '}
      {policies.every((policy) => isHere(policy, runs)) ? null : (
        <span className="tone-bad">⚠ The training run in this link is not in this browser. </span>
      )}
      <button
        type="button"
        className="link"
        onClick={() => useView.getState().setAddress({ sides: null })}
      >
        Ask without its adapter
      </button>
    </p>
  );
};

/** What the rollouts on the screen were asked with. */
export const AskedWith = () => {
  const runs = useRuns();
  const policies = useRun((state) => state.request?.policies);
  return policies && runs ? (
    <p className="source-note">
      <Sentence policies={policies} runs={runs} />
    </p>
  ) : null;
};
