import { useCallback, useMemo, useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { messageOf } from '../../../base/errors.ts';
import type { EvaluableRun } from '../../../lab/contract/evaluations.ts';
import type { Rollout } from '../../../records/rollout.ts';
import { EventActions } from '../../kit/events/parts/actions.ts';
import type { ForkPolicy } from '../../kit/ForkMenu.tsx';
import type { RecordPlace } from '../store/permalink.ts';
import type { Basis } from './basis.ts';
import { forkOfRecord } from './fork-actions.ts';
import { Guarded } from '../../kit/page/Guarded.tsx';
import { onDemand } from '../../kit/page/on-demand.tsx';
import { useAsk } from '../store/ask-store.ts';

const ForkMenu = onDemand(async () => ({
  default: (await import('../../kit/ForkMenu.tsx')).ForkMenu,
}));

/** Every stored adapter. */
export const adapterChoices = (runs: readonly EvaluableRun[] | null): ForkPolicy[] | null =>
  runs?.flatMap(({ id, name, steps }) =>
    steps.map((step) => ({
      policy: { kind: 'run' as const, run: id, step },
      name: `${name}, step ${step}`,
    })),
  ) ?? null;

interface RecordForkProps {
  place: RecordPlace;
  rollout: Rollout;
  event: number;
}

/** The fork menu of a stored rollout; its model and sources are resolved when it is opened. */
const RecordFork = ({ place, rollout, event }: RecordForkProps) => {
  const [, go] = useLocation();
  const runs = useAsk((state) => state.adapters);
  const policies = useMemo(() => adapterChoices(runs), [runs]);
  // Resolved on demand, because it loads the policy and the sources.
  const [basis, setBasis] = useState<Basis | null>(null);
  const look = async () => {
    setBasis(null);
    const { basisOf } = await import('./basis.ts');
    setBasis(await basisOf(place, rollout).catch((error) => ({ why: messageOf(error) })));
  };
  return (
    <Guarded name="The menu of a fork">
      <ForkMenu
        rollout={rollout}
        event={event}
        why={basis && 'why' in basis ? basis.why : null}
        checking={basis === null}
        opened={() => void look()}
        note="It opens in Ask."
        policies={policies}
        busy={false}
        start={(ask) => {
          if (basis && !('why' in basis)) void forkOfRecord({ place, ...basis }, rollout, ask, go);
        }}
      />
    </Guarded>
  );
};

/**
 * Lets the cards inside offer forks from their events, in Ask.
 * @param place null: no forks
 */
export const WithRecordForks = (props: { place: RecordPlace | null; children: ReactNode }) => {
  const { place, children } = props;
  const { file = null, rollout: id = null } = place ?? {};
  const actions = useCallback(
    (rollout: Rollout, event: number) =>
      file === null || id === null ? null : (
        <RecordFork place={{ file, rollout: id }} rollout={rollout} event={event} />
      ),
    [file, id],
  );
  return <EventActions value={place && actions}>{children}</EventActions>;
};
