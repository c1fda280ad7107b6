import type { AgentDeps } from '../../agent/request.ts';
import { runGroup } from '../../agent/run.ts';
import { promptFrame } from '../../agent/transcript/prompt.ts';
import { readTags } from '../../agent/transcript/tags.ts';
import { deriveSeed } from '../../base/random.ts';
import { recipeOf } from '../../recipes/index.ts';
import { withOverrides, type SettingsOverride } from '../../recipes/parts/settings.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import type { Question } from '../../records/records.ts';
import type { Rollout, Segment } from '../../records/rollout.ts';
import type { PolicyLearner } from '../replicas/learner.ts';
import { checkFaults, rolloutOverrides } from './collect.ts';
import { Cycle } from '../sampling/cycle.ts';
import { DEFAULT_WARM_UP } from './demonstrations.ts';
import { between, searchingNowAndThen } from './start/search-share.ts';
import type { TrainState } from './state.ts';
import { warmUpAdapter } from './warm-up.ts';

/**
 * A policy that does not search yet, made of one that does: what it thinks and guesses where it is told
 * that it cannot search is learned by supervision behind the prompt of a run that may search (context
 * distillation). The guesses are its own, so that no gold answer and nothing that was retrieved enters the
 * adapter. UR²'s stage 1 (arXiv 2508.06165, 3.2.2) needs such a policy: it pays for the first queries.
 */

/**
 * Questions that are guessed at, and the updates on these guesses: two at a time, until at most a share of
 * `few` of the rollouts searches. Fewer than `least` would be too few: what is never sampled earns nothing.
 */
const NOT_SEARCHING = {
  questions: 64,
  most: 24,
  atOnce: 2,
  batch: 16,
  learningRate: 5e-4,
  few: 3 / 8,
  least: 3 / 16,
  /** Adapters between the last two that are measured where the last searches too seldom. */
  tries: 5,
  /** Questions that this share is measured on. */
  measured: 32,
} as const;

/** The questions that a run makes its start with: of those that it may train on. */
export function startQuestions(questions: readonly Question[], seed: number): Question[] {
  const most = Math.min(NOT_SEARCHING.questions, questions.length);
  if (most === 0) return [];
  const cycle = new Cycle(questions, deriveSeed(seed, 'start'));
  return Array.from({ length: most }, (_, i) => cycle.at(i));
}

const promptSegment = (ids: readonly number[]): Segment[] =>
  ids.length === 0
    ? []
    : [{ source: 'prompt', role: 'instruction', text: '', ids: [...ids], mask: 0 }];

/**
 * A guess as a trajectory of a run that may search: its thought up to the first search, and its answer, as
 * if it had written all of both.
 * @returns null where it thought or answered nothing, or broke the protocol otherwise than by a search
 */
export function asTrajectory(
  guess: Rollout,
  frame: { before: readonly number[]; after: readonly number[] },
): Rollout | null {
  const { segments, answer, events } = guess;
  const broken = events.some(
    (event) =>
      event.kind === 'error' &&
      event.what === 'malformed' &&
      (event.segment === undefined || segments[event.segment]?.role !== 'search'),
  );
  const question = segments.find(({ role }) => role === 'question');
  const written = segments.filter(({ source, role }) => source !== 'prompt' && role !== 'hint');
  const searched = written.findIndex(({ role }) => role === 'search');
  const first = written.findIndex(({ role }) => role === 'answer');
  const thoughts = written.slice(0, searched < 0 ? first : Math.min(searched, first));
  if (broken || !question || answer === null || first < 0 || thoughts.length === 0) return null;
  const own = [...thoughts, ...written.slice(first).filter(({ role }) => role === 'answer')];
  return {
    ...guess,
    segments: [
      ...promptSegment(frame.before),
      question,
      ...promptSegment(frame.after),
      ...own.map((segment): Segment => ({ ...segment, source: 'policy', mask: 1 })),
    ],
  };
}

export interface Start {
  settings: TrainSettings;
  agent: AgentDeps;
  learner: PolicyLearner;
  /** See `startQuestions`. */
  questions: readonly Question[];
  state: TrainState;
  runId: string;
  signal?: AbortSignal | undefined;
  /** Updates done, and how many there are at most. */
  onProgress(done: number, total: number): void;
  onNotice(line: string): void;
  /** Asked between updates. */
  shouldStop(): boolean;
}

const SEARCHES_ONCE: SettingsOverride = { retrieval: { maxSearches: 1 } };

/** One rollout a question, of the policy as the sampler has it. */
async function rolloutsOf(
  start: Start,
  questions: readonly Question[],
  { name, own = {} }: { name: string; own?: SettingsOverride },
): Promise<Rollout[]> {
  const { settings, agent, runId, signal } = start;
  const { temperature, topP, seed } = settings;
  const groups = await Promise.all(
    questions.map((question, i) =>
      runGroup(agent, {
        question,
        recipe: recipeOf(settings),
        overrides: rolloutOverrides(settings, { temperature, topP }, own),
        seed: deriveSeed(seed, 'start', name, i),
        size: 1,
        groupId: `${runId}-start-${name}-${i}`,
        runId,
        step: 0,
        ...(signal ? { signal } : {}),
      }),
    ),
  );
  signal?.throwIfAborted();
  checkFaults(groups.flat());
  return groups.flat();
}

/** Guesses of the policy, where it is told that it cannot search, as trajectories. */
async function guesses(start: Start): Promise<Rollout[]> {
  const { settings, agent, questions } = start;
  const forbidden = questions.map((question) => ({ ...question, mayRetrieve: false }));
  const made = await rolloutsOf(start, forbidden, { name: 'guess' });
  const { temperature, topP } = settings;
  const inForce = withOverrides(
    recipeOf(settings).settings,
    rolloutOverrides(settings, { temperature, topP }),
  );
  const frame = promptFrame(agent.policy, readTags(agent.policy.tokenizer), inForce);
  return made.flatMap((guess) => asTrajectory(guess, frame) ?? []);
}

/** How many rollouts search, and of how many. */
async function searching(start: Start, round: number): Promise<{ searched: number; of: number }> {
  const asked = start.questions.slice(0, NOT_SEARCHING.measured);
  const rollouts = await rolloutsOf(start, asked, {
    name: `measure-${round}`,
    own: SEARCHES_ONCE,
  });
  const searched = rollouts.filter(({ events }) => events.some(({ kind }) => kind === 'search'));
  return { searched: searched.length, of: rollouts.length };
}

/**
 * Makes the state of a policy that hardly searches.
 * @returns null where `shouldStop` ended it: it is made anew, and the same, when the run goes on
 * @throws Error where there are no questions, or none is answered without a search
 */
export async function stopSearching(start: Start): Promise<TrainState | null> {
  const { settings, agent, learner, questions } = start;
  if (questions.length === 0)
    throw new Error(
      'start: there are no questions to train on, so none to answer without a search',
    );
  const { most, atOnce, few, least, tries } = NOT_SEARCHING;
  const { batch, learningRate } = NOT_SEARCHING;
  const warmUp = { ...DEFAULT_WARM_UP, updates: most, batch, learningRate, onlyCorrect: false };
  start.onProgress(0, most);
  const demonstrations = await guesses(start);
  const before = await searching(start, 0);
  let now = before;
  let state: TrainState = { ...start.state, warmedUp: 0 };
  let often = state.adapter;
  const shareWith = async (flat: Float32Array): ReturnType<typeof searching> => {
    await agent.policy.setAdapter?.({ spec: settings.adapter, flat });
    return searching(start, state.warmedUp);
  };
  while (now.searched > few * now.of && state.warmedUp < most) {
    often = state.adapter;
    const next = state.warmedUp + atOnce;
    let done = state.warmedUp;
    state = await warmUpAdapter({
      settings: { ...settings, warmUp },
      learner,
      demonstrations,
      state,
      onUpdate: (update) => start.onProgress((done = update), most),
      onNotice: () => undefined,
      shouldStop: () => done >= next || start.shouldStop(),
    });
    if (state.warmedUp < next && start.shouldStop()) return null;
    now = await shareWith(state.adapter);
  }
  const seldom = state.adapter;
  const found = await searchingNowAndThen(
    (at) => shareWith(between(often, seldom, at)),
    { at: 1, ...now },
    { least, most: few, tries },
  );
  const adapter = found.at === 1 ? seldom : between(often, seldom, found.at);
  await agent.policy.setAdapter?.({ spec: settings.adapter, flat: adapter });
  start.onNotice(
    `Start without searches: ${state.warmedUp} updates on ${demonstrations.length} guesses; ` +
      `${found.searched} of ${found.of} rollouts search, before ${before.searched}.`,
  );
  // Reinforcement learning begins with another loss.
  const still = new Float32Array(state.first.length);
  return {
    ...state,
    adapter,
    first: still,
    second: still.slice(),
    warmedUp: start.state.warmedUp,
    startMade: true,
  };
}
