import { messageOf } from '../../../base/errors.ts';
import { isHeldOutGroup } from '../../../records/training.ts';
import type { Rollout } from '../../../records/rollout.ts';
import { BUILT_IN_SETUP } from '../../../records/setup.ts';
import type { RunRecord } from '../../../lab/contract/records/runs.ts';
import {
  DEFAULT_SETTINGS,
  RECIPE_IDS,
  type QuestionChoice,
} from '../../../lab/contract/settings.ts';
import { pickOf } from '../../kit/pick-of.ts';
import { lab } from '../../lab/connection.ts';
import { useSetup } from '../../setup/setup-store.ts';
import { cancelRun } from './actions.ts';
import type { RolloutTable } from './apply-updates.ts';
import { ASK, type StepGroup, placeOf } from './permalink.ts';
import { groupRollouts } from './rollout-groups.ts';
import { addressOf, type RolloutSource, type StepSource, useAsk } from './ask-store.ts';

/** Id of typed questions. */
const TYPED = 'typed';

/** Finished rollouts, as the table that Ask shows. */
export const tableOf = (rollouts: readonly Rollout[]): RolloutTable => ({
  order: rollouts.map(({ id }) => id),
  byId: Object.fromEntries(rollouts.map((rollout) => [rollout.id, rollout])),
  finished: Object.fromEntries(rollouts.map(({ id }) => [id, true as const])),
});

/** Whether the linked rollouts are loading, or why they are not shown. */
export const setLinkedStep = (reading: boolean, problem: string | null = null): void =>
  useAsk.setState({ linkedStep: { reading, problem } });

/** Shows other rollouts instead of a run of Ask, whose updates would mix with them. */
const show = async (rollouts: readonly Rollout[], source: RolloutSource): Promise<void> => {
  const first = rollouts[0];
  if (!first) return;
  await cancelRun();
  const { id, text } = first.question;
  const asked: QuestionChoice = id === TYPED ? { kind: 'typed', text } : { kind: 'world', id };
  const recipe = pickOf(RECIPE_IDS, first.recipe.id) ?? DEFAULT_SETTINGS.recipe;
  const { address, setAddress } = useAsk.getState();
  const of = addressOf(source);
  const runId = `of-${placeOf({ of, asked: null })}`;
  const settings = { ...address.settings, recipe };
  useAsk.setState({
    request: { runId, asked, settings, setup: useSetup.getState().setup },
    // Without the chain, until the world's question is loaded.
    question: first.question,
    run: { runId, status: 'done', tokens: 0, tokensPerSecond: 0, failure: null },
    unknownNames: [],
    forks: {},
    forking: null,
    forkProblem: null,
    table: tableOf(rollouts),
    source,
    runRequested: false,
  });
  setAddress({ of, asked, run: false });
  useAsk.setState({ playing: false, selection: null, pinned: false, setupOpen: false });
  setLinkedStep(false);
};

/** The question from the rollout, completed from the world. */
const completeQuestion = async ({ question: { id, text } }: Rollout): Promise<void> => {
  const { request } = useAsk.getState();
  try {
    const question = await lab().ask.question(id);
    // Another world may have a question with this id.
    const same = question?.text === text;
    if (same && useAsk.getState().request === request) useAsk.setState({ question });
  } catch {
    // The world is not loaded; keeps the question of the rollout.
  }
};

/** Opens the rollouts of one question of a training step in Ask, with `focus` selected. */
export const showRollouts = async (
  rollouts: readonly Rollout[],
  source: Omit<StepSource, 'setup'> & { run: Pick<RunRecord, 'setup'> },
  focus: number,
  go: (path: string) => void,
): Promise<void> => {
  const { run, ...from } = source;
  await showFrom(rollouts, { ...from, setup: run.setup ?? BUILT_IN_SETUP }, focus, go);
};

/** Opens rollouts from any source. */
export const showFrom = async (
  rollouts: readonly Rollout[],
  source: RolloutSource,
  focus: number,
  go: (path: string) => void,
): Promise<void> => {
  const first = rollouts[0];
  if (!first) return;
  // Forks of the rollouts that were on the screen before.
  useAsk.getState().setAddress({ forks: [] });
  await show(rollouts, source);
  useAsk.getState().setAddress({ rollout: focus, step: null });
  go(ASK);
  await completeQuestion(first);
};

/** Applies the position of the address. */
export const showLinked = async (
  rollouts: readonly Rollout[],
  source: RolloutSource,
): Promise<void> => {
  await show(rollouts, source);
  if (rollouts[0]) await completeQuestion(rollouts[0]);
};

/** Loads the rollouts that the address names, at its position. */
export const openLinkedStep = async (of: StepGroup): Promise<void> => {
  setLinkedStep(true);
  const { runId, step, group } = of;
  const fail = (problem: string): void => setLinkedStep(false, problem);
  // The user may ask something else while they load.
  const left = (): boolean => placeOf(useAsk.getState().address) !== placeOf({ of, asked: null });
  try {
    const { train } = lab();
    const [runs, kept] = await Promise.all([
      train.runs(),
      isHeldOutGroup(group) ? train.rollouts(runId, step, 'held-out') : train.rollouts(runId, step),
    ]);
    if (left()) return setLinkedStep(false);
    const run = runs.find(({ id }) => id === runId);
    const found = groupRollouts(kept).find(({ id }) => id === group);
    if (!run)
      return fail(
        `The training run in this link (${runId}) is not in this browser. Open the link in the browser that trained it.`,
      );
    if (!found)
      return fail(
        `The rollouts of step ${step} of “${run.name}” are no longer stored: they were deleted to free storage, or the run was imported without them.`,
      );
    const { name, setup = BUILT_IN_SETUP } = run;
    await showLinked(found.rollouts, { runId, name, step, group, setup });
  } catch (error) {
    if (left()) return setLinkedStep(false);
    fail(`The rollouts in this link could not be read: ${messageOf(error)}`);
  }
};
