import { messageOf } from '../../../base/errors.ts';
import type { Question } from '../../../records/records.ts';
import type { QuestionRow } from '../../../lab/contract/ask.ts';
import { MAX_QUESTION_LENGTH, type QuestionChoice } from '../../../lab/contract/settings.ts';
import { policiesOf } from './asked-policy.ts';
import { examplesOf } from './examples.ts';
import { lab, need } from '../../lab/connection.ts';
import { useSession } from '../../kit/session-store.ts';
import { moveStep, type Move } from './playback.ts';
import { firstReplay } from './replay.ts';
import { isRunning, useAsk, setupAtRun } from './ask-store.ts';
import { useSetup } from '../../setup/setup-store.ts';
import { isOverlay } from '../../kit/page/screen.ts';

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
  const { run } = useAsk.getState();
  if (!run || (runId !== undefined && run.runId !== runId)) return;
  useAsk.setState({ run: { ...run, status: 'failed', failure: asFailure(error) } });
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
  const { asked } = useAsk.getState().address;
  return isAsked(asked) ? asked : null;
};

/** An example, or the question chosen while the world was loading; null if that already runs. */
const chosenOrExample = async (): Promise<QuestionChoice | null> => {
  useAsk.setState({ runRequested: true });
  need('sources', 'policy');
  const { id } = await exampleQuestion();
  return useAsk.getState().runRequested ? (chosen() ?? { kind: 'world', id }) : null;
};

/**
 * Runs the question of the address; without one, an example.
 * @param replays whether its rounds are shown one after another
 */
export const startRun = async (replays = true): Promise<void> => {
  if (isTooLong(useAsk.getState().address.asked)) return;
  const now = chosen();
  const { run, runRequested } = useAsk.getState();
  // Waiting for an example must not block a question chosen meanwhile.
  if (isRunning(run) || (runRequested && !now)) return;
  const asked = now ?? (await chosenOrExample());
  if (!asked) return;
  useAsk.setState({ runRequested: false });
  const { address, setAddress } = useAsk.getState();
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
  useAsk.setState({
    playing: false,
    selection: null,
    // A link to an event, or to forks, opens there.
    replay:
      replays && address.step === null && (address.forks ?? []).length === 0 ? firstReplay() : null,
    ...setupAtRun(),
  });
  useAsk.getState().begin(request, null);
  try {
    const question: Question | null =
      asked.kind === 'world' ? await lab().ask.question(asked.id) : null;
    // The screen shows something else by now, such as a training step.
    if (useAsk.getState().request !== request) return;
    useAsk.setState({ question });
    await lab().ask.run(request);
  } catch (error) {
    failRun(error, request.runId);
  }
};

/** Requests a new run from the start; the playback position of the last run does not apply. */
export const runFromStart = async (): Promise<void> => {
  useAsk.getState().setAddress({ rollout: 0, step: null, forks: [] });
  await startRun();
};

/** Keeps only the forks on the screen in the address: those after a failed or stopped fork may depend on it. */
export const keepMade = (): void => {
  const { address, setAddress } = useAsk.getState();
  const { forks = [] } = address;
  const made = Object.keys(useAsk.getState().forks).length;
  if (forks.length > made) setAddress({ forks: forks.slice(0, made) });
};

/** Never rejects: a run that the lab no longer answers for is shown as failed. */
export const cancelRun = async (): Promise<void> => {
  const { run } = useAsk.getState();
  if (!run || !isRunning(run)) return;
  if (useAsk.getState().forking !== null) keepMade();
  try {
    await lab().ask.cancel();
  } catch (error) {
    if (isRunning(useAsk.getState().run)) failRun(error, run.runId);
  }
};

/**
 * Chooses the question of the next run without starting it; forks of the previous run are removed from
 * the address.
 */
export const ask = (asked: QuestionChoice): void => {
  useAsk.getState().setAddress({ of: null, asked, run: false, rollout: 0, step: null, forks: [] });
};

const focusedRollout = () => {
  const { address } = useAsk.getState();
  const { table } = useAsk.getState();
  const id = table.order[Math.min(address.rollout, table.order.length - 1)];
  return id === undefined ? null : (table.byId[id] ?? null);
};

/** Moves playback of the focused rollout and selects the event. */
export const move = (to: Move): void => {
  const rollout = focusedRollout();
  if (!rollout) return;
  const { address, setAddress, select } = useAsk.getState();
  const step = moveStep(address.step, to, rollout.events.length);
  setAddress({ step });
  useAsk.setState({ replay: null });
  // The panel would cover the rollout on a small screen.
  if (step !== null) select({ kind: 'event', rolloutId: rollout.id, event: step }, !isOverlay());
  if (to === 'leave') useAsk.setState({ playing: false });
};

/** Shows the end of the replay at once. */
export const skipReplay = (): void => useAsk.setState({ replay: null });

/** Shows the rollouts of the screen round by round again. */
export const replayAgain = (): void => {
  useAsk.getState().setAddress({ step: null });
  useAsk.setState({ playing: false, selection: null, replay: 0 });
};

/** Starts playback (from the first event if it is at the end), or pauses it; during a replay, shows its end. */
export const togglePlaying = (): void => {
  const { playing, address, replay } = useAsk.getState();
  if (replay !== null) return skipReplay();
  const count = focusedRollout()?.events.length ?? 0;
  if (count === 0) return;
  if (!playing && (address.step === null || address.step >= count - 1)) move('first');
  useAsk.setState({ playing: !playing });
};

/** Focuses a rollout by its position and ends playback; no effect if there is none. */
export const focusRollout = (rollout: number): void => {
  const { order } = useAsk.getState().table;
  if (rollout < 0 || rollout >= order.length) return;
  useAsk.setState({ playing: false });
  useAsk.getState().setAddress({ rollout, step: null });
};

/** From the last one if an address names a rollout that does not exist. */
export const focusNext = (by: 1 | -1): void => {
  const last = useAsk.getState().table.order.length - 1;
  focusRollout(Math.min(useAsk.getState().address.rollout, last) + by);
};

/** Loads the runs with a stored adapter again. Never rejects: without storage there are none. */
export const readAdapters = async (): Promise<void> => {
  try {
    useAsk.setState({ adapters: await lab().evaluations.runs() });
  } catch {
    useAsk.setState({ adapters: [] });
  }
};
