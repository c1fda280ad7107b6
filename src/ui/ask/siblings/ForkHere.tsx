import { useEffect, useMemo, type ReactNode } from 'react';
import { useShallow } from 'zustand/react/shallow';
import type { Rollout } from '../../../records/rollout.ts';
import { EventActions } from '../../kit/events/parts/actions.ts';
import type { ForkPolicy } from '../../kit/ForkMenu.tsx';
import { forkRollout } from './fork-actions.ts';
import { isRunning, useAsk } from '../store/ask-store.ts';
import { policyName, writerOf } from './writer.ts';
import { Guarded } from '../../kit/page/Guarded.tsx';
import { onDemand } from '../../kit/page/on-demand.tsx';
import { readAdapters } from '../store/actions.ts';

const ForkMenu = onDemand(async () => ({
  default: (await import('../../kit/ForkMenu.tsx')).ForkMenu,
}));

/** Every policy that can continue: without adapter, and each stored adapter. */
const usePolicies = (): readonly ForkPolicy[] | null => {
  const runs = useAsk((state) => state.adapters);
  const base = useAsk(({ source, request }) => (source?.setup ?? request?.setup)?.policy);
  return useMemo(() => {
    if (!runs || !base || runs.length === 0) return runs && [];
    return [
      ...runs.flatMap(({ id, name, steps }) =>
        steps.map((step) => ({
          policy: { kind: 'run' as const, run: id, step },
          name: `${name}, step ${step}`,
        })),
      ),
      { policy: { kind: 'base' as const, policy: base }, name: policyName('alone', runs) },
    ];
  }, [runs, base]);
};

/** The fork menu of a rollout on the screen; absent while the rollout is being written. */
const ForkHere = ({ rollout, event }: { rollout: Rollout; event: number }) => {
  const screen = useAsk(useShallow(({ request, source, forks }) => ({ request, source, forks })));
  const busy = useAsk((state) => isRunning(state.run));
  const finished = useAsk((state) => state.table.finished[rollout.id] === true);
  const runs = useAsk((state) => state.adapters);
  const policies = usePolicies();
  useEffect(() => {
    if (useAsk.getState().adapters === null) void readAdapters();
  }, []);
  if (!finished) return null;
  const { note } = writerOf(rollout, screen, runs ?? []);
  return (
    <Guarded name="The menu of a fork">
      <ForkMenu
        rollout={rollout}
        event={event}
        why={null}
        note={note}
        policies={policies}
        busy={busy}
        start={(ask) => void forkRollout(rollout, ask)}
      />
    </Guarded>
  );
};

// One stable function, so that cards are not rendered again.
const forkHere = (rollout: Rollout, event: number): ReactNode => (
  <ForkHere rollout={rollout} event={event} />
);

/** Lets the cards inside offer forks from their events. */
export const WithForks = ({ children }: { children: ReactNode }) => (
  <EventActions value={forkHere}>{children}</EventActions>
);

/** Why the last fork failed. */
export const ForkProblem = () => {
  const problem = useAsk((state) => state.forkProblem);
  if (problem === null) return null;
  return (
    <p className="note" role="alert">
      ⚠ The fork was not made: {problem}{' '}
      <button type="button" className="link" onClick={() => useAsk.setState({ forkProblem: null })}>
        Dismiss
      </button>
    </p>
  );
};
