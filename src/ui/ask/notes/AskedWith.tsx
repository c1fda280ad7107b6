import { useEffect } from 'react';
import type { PolicyChoice } from '../../../lab/contract/settings.ts';
import { useSetup } from '../../setup/setup-store.ts';
import { policiesOf } from '../store/asked-policy.ts';
import { policyName } from '../siblings/writer.ts';
import { useAsk } from '../store/ask-store.ts';
import { readAdapters } from '../store/actions.ts';

/** Which policies answer, if not simply the setup's. The setup also says it, but may be hidden. */

/** Runs with stored adapters; null until they were loaded, which starts here. */
const useRuns = () => {
  const runs = useAsk((state) => state.adapters);
  useEffect(() => {
    if (useAsk.getState().adapters === null) void readAdapters();
  }, []);
  return runs;
};

type Runs = NonNullable<ReturnType<typeof useRuns>>;

/**
 * Whether this browser has the policy; one without an adapter belongs to the setup, which reports that
 * itself.
 */
const isHere = (policy: PolicyChoice, runs: Runs): boolean =>
  policy.kind !== 'run' || runs.some(({ id }) => id === policy.run);

/** Names the answering policy; for two policies the second, because the first was named before. */
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

/** Before the first click: what the address asks with, and a way to ask without it. */
export const WillAskWith = () => {
  const runs = useRuns();
  const sides = useAsk(({ address }) => address.sides);
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
        onClick={() => useAsk.getState().setAddress({ sides: null })}
      >
        Ask without its adapter
      </button>
    </p>
  );
};

/** Which policy wrote the rollouts on the screen. */
export const AskedWith = () => {
  const runs = useRuns();
  const policies = useAsk((state) => state.request?.policies);
  return policies && runs ? (
    <p className="source-note">
      <Sentence policies={policies} runs={runs} />
    </p>
  ) : null;
};
