import { messageOf } from '../../../base/errors.ts';
import { deriveSeed } from '../../../base/random.ts';
import type { Rollout } from '../../../records/rollout.ts';
import type { RunRecord } from '../../../lab/contract/records/runs.ts';
import type { ForkRequest } from '../../../lab/contract/settings.ts';
import type { ForkAsk } from '../../kit/ForkMenu.tsx';
import { changeWords } from '../../kit/fork-words.ts';
import { lab } from '../../lab/connection.ts';
import type { LinkedFork } from '../store/fork-link.ts';
import { focusRollout, readAdapters } from '../store/actions.ts';
import { groupRollouts } from '../store/rollout-groups.ts';
import { isRunning, useAsk, type RecordSource } from '../store/ask-store.ts';
import { showFrom, showRollouts } from '../store/training-step.ts';
import { writerOf } from './writer.ts';

/** Ends the pending fork with a reason. */
const failFork = (error: unknown): void => {
  const { run, setRun } = useAsk.getState();
  if (!run) return;
  const failure = { kind: 'failed' as const, message: messageOf(error), detail: '' };
  setRun({ ...run, status: 'failed', failure });
};

/** Adds a fork to the address unless it came from there. */
const sayInAddress = (fork: LinkedFork): void => {
  const { address, setAddress } = useAsk.getState();
  const { forks = [] } = address;
  if (forks.length < Object.keys(useAsk.getState().forks).length)
    setAddress({ forks: [...forks, fork] });
};

/** Forks a rollout on the screen at one of its events and shows it next to the original. Never rejects. */
export const forkRollout = async (of: Rollout, ask: ForkAsk): Promise<void> => {
  const { request, source, run, forks, beginFork } = useAsk.getState();
  if (!request || isRunning(run)) return;
  const number = Object.values(forks).filter((note) => note.of === of.id).length + 1;
  const rolloutId = `${of.id}-fork-${number}`;
  const { change, event, temperature, policy: other } = ask;
  const policy =
    other?.policy ??
    writerOf(of, { request, source, forks }, useAsk.getState().adapters ?? []).policy;
  const fork: ForkRequest = {
    of,
    event,
    rolloutId,
    change,
    source: ask.source,
    ...(change === 'draw' && { seed: deriveSeed(of.seed, 'fork', number) }),
    temperature,
    // The loaded policy may have changed since the menu was opened.
    ...(source && 'place' in source && !other && { writer: of.policy }),
  };
  const words = changeWords(change, {
    source: ask.source,
    temperature,
    ...(other && { adapter: other.name }),
  });
  const rollout = useAsk.getState().table.order.indexOf(of.id);
  beginFork(rolloutId, { of: of.id, event, words, policy });
  sayInAddress({
    rollout,
    event,
    change,
    source: ask.source,
    temperature,
    ...(other && { policy: other.policy }),
  });
  useAsk.setState({ playing: false });
  focusRollout(useAsk.getState().table.order.indexOf(rolloutId));
  const { policies: _, ...rest } = request;
  const setup = source?.setup ?? request.setup;
  try {
    await lab().ask.run({ ...rest, setup, ...(policy && { policies: [policy] }), fork });
  } catch (error) {
    failFork(error);
  }
};

/** Forks a rollout of a training run: opens its group in Ask and makes the fork there. Never rejects. */
export const forkOfRun = async (
  run: Pick<RunRecord, 'id' | 'name' | 'setup'>,
  of: Rollout,
  ask: ForkAsk,
  go: (path: string) => void,
): Promise<void> => {
  const kept = await lab()
    .train.rollouts(run.id, of.step)
    .catch(() => []);
  const found = groupRollouts(kept).find(({ id }) => id === of.groupId)?.rollouts ?? [];
  const group = found.some(({ id }) => id === of.id) ? found : [of];
  const focus = group.findIndex(({ id }) => id === of.id);
  const source = { runId: run.id, name: run.name, step: of.step, group: of.groupId, run };
  await Promise.all([readAdapters(), showRollouts(group, source, focus, go)]);
  await forkRollout(group[focus] ?? of, ask);
};

/** Forks any other stored rollout. Never rejects. */
export const forkOfRecord = async (
  source: RecordSource,
  of: Rollout,
  ask: ForkAsk,
  go: (path: string) => void,
): Promise<void> => {
  await showFrom([of], source, 0, go);
  await forkRollout(of, ask);
};
