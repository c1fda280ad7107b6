import { useEffect } from 'react';
import type { ForkAsk } from '../../kit/ForkMenu.tsx';
import { readAdapters, useAdapters } from '../policies/adapters-store.ts';
import type { LinkedFork } from '../store/fork-link.ts';
import { useRun } from '../store/run-store.ts';
import { useView } from '../store/view-store.ts';
import { keepMade } from '../store/actions.ts';
import { forkRollout } from './fork-actions.ts';
import { policyName } from './writer.ts';

/**
 * Repeats the forks of the address in order, once their source rollouts exist, until the screen has as
 * many as the address.
 */

const askOf = ({ event, change, source, temperature, policy }: LinkedFork): ForkAsk => ({
  event,
  change,
  source,
  temperature,
  ...(policy && {
    policy: { policy, name: policyName(policy, useAdapters.getState().runs ?? []) },
  }),
});

/**
 * The next fork of the address that is not on the screen; undefined if there is none, or its source is
 * not ready.
 */
const nextFork = (): LinkedFork | undefined => {
  const { run, forks, forking } = useRun.getState();
  if (run?.status !== 'done' || forking !== null) return undefined;
  return useView.getState().address.forks?.[Object.keys(forks).length];
};

let waiting = false;

const makeNext = async (): Promise<void> => {
  if (waiting || !nextFork()) return;
  waiting = true;
  // Needed to resolve which policy continues.
  if (useAdapters.getState().runs === null) await readAdapters();
  waiting = false;
  const fork = nextFork();
  if (!fork) return;
  const { table } = useRun.getState();
  const of = table.byId[table.order[fork.rollout] ?? ''];
  if (!of || !of.events[fork.event]) {
    keepMade();
    useRun.setState({
      forkProblem: of
        ? `the link forks rollout ${fork.rollout + 1} at event ${fork.event + 1}, but it has only ${of.events.length} events.`
        : `the link forks rollout ${fork.rollout + 1}, but there are only ${table.order.length}.`,
    });
    return;
  }
  // The address already states the position.
  const { rollout, step } = useView.getState().address;
  void forkRollout(of, askOf(fork));
  useView.getState().setAddress({ rollout, step });
};

/** Repeats the forks of the address while Ask is shown. */
export const useForksOfAddress = (): void => {
  useEffect(() => {
    void makeNext();
    return useRun.subscribe(({ forking, forkProblem, forks }, before) => {
      const ended = forking === null ? before.forking : null;
      if (ended !== null && (forkProblem !== null || !forks[ended])) keepMade();
      void makeNext();
    });
  }, []);
};
