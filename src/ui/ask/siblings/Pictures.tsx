import { useDeferredValue, useEffect, useMemo } from 'react';
import { useShallow } from 'zustand/react/shallow';
import type { TreeStep } from '../../../evaluate/rollouts/siblings/tree.ts';
import type { Rollout } from '../../../records/rollout.ts';
import { groupIdOf, type PolicyChoice } from '../../../lab/contract/settings.ts';
import type { Sibling } from '../../kit/siblings/sibling.ts';
import { interruptionOf } from '../columns/measures.ts';
import { focusRollout, readAdapters } from '../store/actions.ts';
import { useAsk } from '../store/ask-store.ts';
import { policyName } from './writer.ts';
import { Guarded } from '../../kit/page/Guarded.tsx';
import { onDemand } from '../../kit/page/on-demand.tsx';

/** Pictures of several rollouts above their columns, of one below it. */

const SiblingTree = onDemand(async () => ({
  default: (await import('../../kit/siblings/SiblingTree.tsx')).SiblingTree,
}));
const Hops = onDemand(async () => ({ default: (await import('../columns/Explained.tsx')).Hops }));
const BesidePicture = onDemand(async () => ({
  default: (await import('../../kit/beside/BesidePicture.tsx')).BesidePicture,
}));

/** Opens an event: scrolls to its column and shows it in the details. */
const openEvent = (id: string, event: number): void => {
  const { order } = useAsk.getState().table;
  focusRollout(order.indexOf(id));
  const { select } = useAsk.getState();
  select({ kind: 'event', rolloutId: id, event });
  document
    .querySelector(`[data-rollout="${CSS.escape(id)}"] .part[data-index="${event}"]`)
    ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
};

/** The finished rollouts on the screen, in order; a stable list while none ends. */
const useEnded = (): readonly Rollout[] =>
  useDeferredValue(
    useAsk(
      useShallow(({ table: { order, byId, finished } }) =>
        order.flatMap((id) => (finished[id] ? (byId[id] ?? []) : [])),
      ),
    ),
  );

/** Null if it cannot be scored: no gold, or interrupted. */
const emOf = (rollout: Rollout): number | null =>
  rollout.question.answers.length === 0 || interruptionOf(rollout) !== null
    ? null
    : (rollout.metrics?.em ?? null);

/** Where the rollouts of a group diverge; needs two finished rollouts. */
const Tree = () => {
  const ended = useEnded();
  const order = useAsk((state) => state.table.order);
  const forks = useAsk((state) => state.forks);
  const siblings = useMemo(
    () =>
      ended.map((rollout): Sibling => {
        const fork = forks[rollout.id];
        return {
          rollout,
          name: `Rollout ${order.indexOf(rollout.id) + 1}`,
          em: emOf(rollout),
          ...(fork && { fork: `forked at event ${fork.event + 1}: ${fork.words}` }),
        };
      }),
    [ended, order, forks],
  );
  const open = useMemo(
    () =>
      (sibling: number, { at }: TreeStep) => {
        const id = siblings[sibling]?.rollout.id;
        if (id !== undefined) openEvent(id, at);
      },
    [siblings],
  );
  return siblings.length > 1 ? (
    <Guarded name="The tree of the group">
      <SiblingTree siblings={siblings} open={open} heading="h2" />
    </Guarded>
  ) : null;
};

/** The actual step of an adapter requested as the newest, from the record. */
const stepOf = ({ policy }: Rollout, asked: PolicyChoice | undefined): string => {
  if (asked?.kind !== 'run' || asked.step !== null) return '';
  const step = /-step-(\d+)$/.exec(policy.adapter ?? '')?.[1];
  return step === undefined ? '' : `, step ${step}`;
};

/** Compares the rollouts of two policies with the same number as the focused one. */
const Beside = () => {
  const request = useAsk((state) => state.request);
  const table = useDeferredValue(useAsk((state) => state.table));
  const runs = useAsk((state) => state.adapters);
  const addressRollout = useAsk((state) => state.address.rollout);
  useEffect(() => {
    if (useAsk.getState().adapters === null) void readAdapters();
  }, []);
  const policies = request?.policies;
  if (!request || !policies || policies.length < 2) return null;
  const rollouts = table.order.flatMap((id) => table.byId[id] ?? []);
  const [before, after] = [0, 1].map((at) =>
    rollouts.filter(
      // A fork belongs to the group of its rollout, but is never compared between policies.
      ({ groupId, id }) => groupId === groupIdOf(request.runId, at) && !/-fork-\d+$/.test(id),
    ),
  );
  const number = Math.max(
    before?.findIndex(({ id }) => id === table.order[addressRollout]) ?? -1,
    0,
  );
  const other = after?.findIndex(({ id }) => id === table.order[addressRollout]) ?? -1;
  const at = other < 0 ? number : other;
  const [a, b] = [before?.[at], after?.[at]];
  if (!a || !b) return null;
  const sideOf = (rollout: Rollout, side: 0 | 1) => ({
    rollout,
    name: `${policyName(policies[side], runs ?? [])}${stepOf(rollout, policies[side])}`,
  });
  return (
    <Guarded name="The comparison of the two">
      <BesidePicture
        sides={[sideOf(a, 0), sideOf(b, 1)]}
        open={(side, event) => openEvent(side === 0 ? a.id : b.id, event)}
        heading="h2"
      />
    </Guarded>
  );
};

/** The hop map of the focused rollout, once it has ended. */
const FocusedHops = () => {
  const { order, byId, finished } = useDeferredValue(useAsk((state) => state.table));
  const addressRollout = useAsk((state) => state.address.rollout);
  const at = Math.min(addressRollout, order.length - 1);
  const id = order[at];
  const rollout = id !== undefined && finished[id] ? byId[id] : undefined;
  if (!rollout || emOf(rollout) === null) return null;
  return (
    <Guarded name="The map of hops">
      <Hops
        rollout={rollout}
        name={order.length > 1 ? `rollout ${at + 1}` : null}
        open={(event) => openEvent(rollout.id, event)}
      />
    </Guarded>
  );
};

/** Pictures show the results, which a replay has not reached yet. */
const useShown = (): boolean => useAsk((state) => state.replay === null);
const useTwo = (): boolean => useAsk((state) => (state.request?.policies?.length ?? 0) > 1);

/** The comparison of two policies, or the tree of a group. */
export const GroupPictures = () => {
  const shown = useShown();
  const two = useTwo();
  const forked = useAsk((state) => Object.keys(state.forks).length > 0);
  return shown ? (
    <>
      {two ? <Beside /> : null}
      {two && !forked ? null : <Tree />}
    </>
  ) : null;
};

/** The hop map of the focused rollout, after its rounds. */
export const RolloutPictures = () => {
  const shown = useShown();
  return useTwo() || !shown ? null : <FocusedHops />;
};
