import { useEffect } from 'react';
import type { ForkAsk } from '../../kit/ForkMenu.tsx';
import type { LinkedFork } from '../store/fork-link.ts';
import { useAsk } from '../store/ask-store.ts';
import { keepMade, readAdapters } from '../store/actions.ts';
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
    policy: { policy, name: policyName(policy, useAsk.getState().adapters ?? []) },
  }),
});

/**
 * The next fork of the address that is not on the screen; undefined if there is none, or its source is
 * not ready.
 */
const nextFork = (): LinkedFork | undefined => {
  const { run, forks, forking } = useAsk.getState();
  if (run?.status !== 'done' || forking !== null) return undefined;
  return useAsk.getState().address.forks?.[Object.keys(forks).length];
};

let waiting = false;

const makeNext = async (): Promise<void> => {
  if (waiting || !nextFork()) return;
  waiting = true;
  // Needed to resolve which policy continues.
  if (useAsk.getState().adapters === null) await readAdapters();
  waiting = false;
  const fork = nextFork();
  if (!fork) return;
  const { table } = useAsk.getState();
  const of = table.byId[table.order[fork.rollout] ?? ''];
  if (!of || !of.events[fork.event]) {
    keepMade();
    useAsk.setState({
      forkProblem: of
        ? `the link forks rollout ${fork.rollout + 1} at event ${fork.event + 1}, but it has only ${of.events.length} events.`
        : `the link forks rollout ${fork.rollout + 1}, but there are only ${table.order.length}.`,
    });
    return;
  }
  // The address already states the position.
  const { rollout, step } = useAsk.getState().address;
  void forkRollout(of, askOf(fork));
  useAsk.getState().setAddress({ rollout, step });
};

/** Repeats the forks of the address while Ask is shown. */
export const useForksOfAddress = (): void => {
  useEffect(() => {
    void makeNext();
    return useAsk.subscribe((state, before) => {
      const { run, table, forking, forkProblem, forks } = state;
      // An address gets a fork before it is made: only changes of the run count.
      if (
        run === before.run &&
        table === before.table &&
        forking === before.forking &&
        forks === before.forks
      )
        return;
      const ended = forking === null ? before.forking : null;
      if (ended !== null && (forkProblem !== null || !forks[ended])) keepMade();
      void makeNext();
    });
  }, []);
};
