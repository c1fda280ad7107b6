import { messageOf } from '../../../base/errors.ts';
import type { Question } from '../../../records/records.ts';
import type { QuestionRow } from '../../../lab/contract/ask.ts';
import { MAX_QUESTION_LENGTH, type QuestionChoice } from '../../../lab/contract/settings.ts';
import { policiesOf } from '../policies/asked-policy.ts';
import { examplesOf } from './examples.ts';
import { lab, need } from '../../lab/connection.ts';
import { useSession } from '../../kit/session-store.ts';
import { moveStep, type Move } from './playback.ts';
import { firstReplay } from './replay.ts';
import { isRunning, useRun } from './run-store.ts';
import { useSetup } from '../../setup/setup-store.ts';
import { isOverlay } from '../../kit/page/screen.ts';
import { setupAtRun, useView } from './view-store.ts';

/** Actions of buttons, keys and the palette, one function each. */

const newRunId = (): string => `run-${Date.now().toString(36)}`;

/** Failure texts for calls that the lab could not answer. */
const asFailure = (error: unknown) => ({
  kind: 'failed' as const,
  message: messageOf(error),
  detail: error instanceof Error ? (error.stack ?? '') : '',
});

/** @param runId only if this run is on the screen; omitted: any run */
export const failRun = (error: unknown, runId?: string): void => {
  const { run } = useRun.getState();
  if (!run || (runId !== undefined && run.runId !== runId)) return;
  useRun.setState({ run: { ...run, status: 'failed', failure: asFailure(error) } });
};

/** Whether there is a question: an empty field does not count. */
export const isAsked = (asked: QuestionChoice | null): boolean =>
  asked?.kind === 'typed' ? asked.text.trim() !== '' : asked !== null;

/** A question that no run takes: it stays as it was typed, for the user to shorten. */
export const isTooLong = (asked: QuestionChoice | null): boolean =>
  asked?.kind === 'typed' && asked.text.length > MAX_QUESTION_LENGTH;

/** An example for a first visit. */
const example = (rows: readonly QuestionRow[]): QuestionRow | undefined => examplesOf(rows)[0];

/** The example question, once the world is loaded. */
const exampleQuestion = (): Promise<QuestionRow> =>
  new Promise((resolve) => {
    const known = example(useSession.getState().questions);
    if (known) return resolve(known);
    const stop = useSession.subscribe(({ questions }) => {
      const found = example(questions);
      if (!found) return;
      stop();
      resolve(found);
    });
    return undefined;
  });

/** The question in the address; null if there is none. */
const chosen = (): QuestionChoice | null => {
  const { asked } = useView.getState().address;
  return isAsked(asked) ? asked : null;
};

/** An example, or the question chosen while the world was loading; null if that already runs. */
const chosenOrExample = async (): Promise<QuestionChoice | null> => {
  useRun.setState({ runRequested: true });
  need('sources', 'policy');
  const { id } = await exampleQuestion();
  return useRun.getState().runRequested ? (chosen() ?? { kind: 'world', id }) : null;
};

/**
 * Runs the question of the address; without one, an example.
 * @param replays whether its rounds are shown one after another
 */
export const startRun = async (replays = true): Promise<void> => {
  if (isTooLong(useView.getState().address.asked)) return;
  const now = chosen();
  const { run, runRequested } = useRun.getState();
  // Waiting for an example must not block a question chosen meanwhile.
  if (isRunning(run) || (runRequested && !now)) return;
  const asked = now ?? (await chosenOrExample());
  if (!asked) return;
  useRun.setState({ runRequested: false });
  const { address, setAddress } = useView.getState();
  const { setup } = useSetup.getState();
  const policies = policiesOf(address.sides, setup);
  const request = {
    runId: newRunId(),
    asked,
    settings: address.settings,
    setup,
    policies,
  };
  setAddress({ of: null, asked, run: true });
  useView.setState({
    playing: false,
    selection: null,
    // A link to an event, or to forks, opens there.
    replay:
      replays && address.step === null && (address.forks ?? []).length === 0 ? firstReplay() : null,
    ...setupAtRun(),
  });
  useRun.getState().begin(request, null);
  try {
    const question: Question | null =
      asked.kind === 'world' ? await lab().ask.question(asked.id) : null;
    // The screen shows something else by now, such as a training step.
    if (useRun.getState().request !== request) return;
    useRun.setState({ question });
    await lab().ask.run(request);
  } catch (error) {
    failRun(error, request.runId);
  }
};

/** Requests a new run from the start; the playback position of the last run does not apply. */
export const runFromStart = async (): Promise<void> => {
  useView.getState().setAddress({ rollout: 0, step: null, forks: [] });
  await startRun();
};

/** Keeps only the forks on the screen in the address: those after a failed or stopped fork may depend on it. */
export const keepMade = (): void => {
  const { address, setAddress } = useView.getState();
  const { forks = [] } = address;
  const made = Object.keys(useRun.getState().forks).length;
  if (forks.length > made) setAddress({ forks: forks.slice(0, made) });
};

/** Never rejects: a run that the lab no longer answers for is shown as failed. */
export const cancelRun = async (): Promise<void> => {
  const { run } = useRun.getState();
  if (!run || !isRunning(run)) return;
  if (useRun.getState().forking !== null) keepMade();
  try {
    await lab().ask.cancel();
  } catch (error) {
    if (isRunning(useRun.getState().run)) failRun(error, run.runId);
  }
};

/**
 * Chooses the question of the next run without starting it; forks of the previous run are removed from
 * the address.
 */
export const ask = (asked: QuestionChoice): void => {
  useView.getState().setAddress({ of: null, asked, run: false, rollout: 0, step: null, forks: [] });
};

const focusedRollout = () => {
  const { address } = useView.getState();
  const { table } = useRun.getState();
  const id = table.order[Math.min(address.rollout, table.order.length - 1)];
  return id === undefined ? null : (table.byId[id] ?? null);
};

/** Moves playback of the focused rollout and selects the event. */
export const move = (to: Move): void => {
  const rollout = focusedRollout();
  if (!rollout) return;
  const { address, setAddress, select } = useView.getState();
  const step = moveStep(address.step, to, rollout.events.length);
  setAddress({ step });
  useView.setState({ replay: null });
  // The panel would cover the rollout on a small screen.
  if (step !== null) select({ kind: 'event', rolloutId: rollout.id, event: step }, !isOverlay());
  if (to === 'leave') useView.setState({ playing: false });
};

/** Shows the end of the replay at once. */
export const skipReplay = (): void => useView.setState({ replay: null });

/** Shows the rollouts of the screen round by round again. */
export const replayAgain = (): void => {
  useView.getState().setAddress({ step: null });
  useView.setState({ playing: false, selection: null, replay: 0 });
};

/** Starts playback (from the first event if it is at the end), or pauses it; during a replay, shows its end. */
export const togglePlaying = (): void => {
  const { playing, address, replay } = useView.getState();
  if (replay !== null) return skipReplay();
  const count = focusedRollout()?.events.length ?? 0;
  if (count === 0) return;
  if (!playing && (address.step === null || address.step >= count - 1)) move('first');
  useView.setState({ playing: !playing });
};

/** Focuses a rollout by its position and ends playback; no effect if there is none. */
export const focusRollout = (rollout: number): void => {
  const { order } = useRun.getState().table;
  if (rollout < 0 || rollout >= order.length) return;
  useView.setState({ playing: false });
  useView.getState().setAddress({ rollout, step: null });
};

/** From the last one if an address names a rollout that does not exist. */
export const focusNext = (by: 1 | -1): void => {
  const last = useRun.getState().table.order.length - 1;
  focusRollout(Math.min(useView.getState().address.rollout, last) + by);
};
