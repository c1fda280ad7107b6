import type { AgentDeps } from '../../agent/request.ts';
import { runGroup } from '../../agent/run.ts';
import { deriveSeed } from '../../base/random.ts';
import { recipeOf } from '../../recipes/registry.ts';
import { withOverrides, type SettingsOverride } from '../../recipes/parts/settings.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import type { Question } from '../../records/records.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { PolicyLearner } from '../replicas/learner.ts';
import { Cycle } from '../sampling/cycle.ts';
import { checkFaults, rolloutOverrides } from './collect.ts';
import type { TrainState } from './state.ts';
import { warmUpAdapter } from './warm-up.ts';
import { interpolateAdapters, bisectAdapterScale } from './start/bisect-adapter-scale.ts';
import type { StartKind } from './start/kind.ts';
import { NOT_SEARCHING } from './start/not-searching.ts';
import { REASONING_QUERIES } from './start/reasoning-queries.ts';

/** Optional SFT on the policy's own rollouts before RL, which gives it the behaviour that RL should then correct. */

/** Questions to learn from, and the updates on them; these continue until few enough rollouts show the habit. */
export const START = {
  questions: 64,
  batch: 16,
  learningRate: 5e-4,
  /** Questions to measure the share on. */
  measured: 32,
  /** Interpolated adapters to measure when the last one shows the habit too rarely. */
  tries: 5,
} as const;

const KINDS = { 'not-searching': NOT_SEARCHING, 'reasoning-queries': REASONING_QUERIES } as const;

/** The warm start of the run; null without one. */
export const warmStartKind = ({ start }: Pick<TrainSettings, 'start'>): StartKind | null =>
  start === undefined || start === 'searching' ? null : KINDS[start];

/** The training questions of the warm start. */
export function warmStartQuestions(
  questions: readonly Question[],
  settings: Pick<TrainSettings, 'seed' | 'start'>,
): Question[] {
  const kind = warmStartKind(settings);
  const suited = kind ? questions.filter((question) => kind.suits(question)) : [];
  const most = Math.min(START.questions, suited.length);
  if (most === 0) return [];
  const cycle = new Cycle(suited, deriveSeed(settings.seed, 'start'));
  return Array.from({ length: most }, (_, i) => cycle.at(i));
}

export interface WarmStart {
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
  /** Called with each finished rollout. */
  onEnded?(rollout: Rollout): void;
  onNotice(line: string): void;
  /** Checked between updates. */
  shouldStop(): boolean;
}

/** One rollout per question with the sampler's current policy. */
async function rolloutsOf(
  start: WarmStart,
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
        onRollout: (rollout) => start.onEnded?.(rollout),
        signal,
      }),
    ),
  );
  signal?.throwIfAborted();
  checkFaults(groups.flat());
  return groups.flat();
}

/** How many rollouts show the habit, and of how many. */
async function habitShare(
  start: WarmStart,
  kind: StartKind,
  round: number,
): Promise<{ kept: number; of: number }> {
  const asked = start.questions.slice(0, START.measured);
  const rollouts = await rolloutsOf(start, asked, {
    name: `measure-${round}`,
    own: kind.measured,
  });
  return { kept: rollouts.filter((one) => kind.keeps(one)).length, of: rollouts.length };
}

/**
 * Makes the state of the policy that a run begins with.
 * @returns null where `shouldStop` ended it: it is made again, and the same, when the run continues
 * @throws Error where there are no questions, or none gives a trajectory to learn from
 */
export async function warmStart(start: WarmStart, kind: StartKind): Promise<TrainState | null> {
  const { settings, agent, learner, questions } = start;
  if (questions.length === 0) throw new Error(`start: ${kind.none}`);
  const { batch, learningRate } = START;
  const { most, atOnce, few, least, onlyCorrect } = kind;
  const warmUp = { updates: most, batch, learningRate, onlyCorrect };
  start.onProgress(0, most);
  const { temperature, topP } = settings;
  const demonstrations = await kind.trajectories({
    agent,
    questions,
    inForce: withOverrides(
      recipeOf(settings).settings,
      rolloutOverrides(settings, { temperature, topP }),
    ),
    sample: (asked, name) => rolloutsOf(start, asked, { name }),
  });
  const before = await habitShare(start, kind, 0);
  let now = before;
  // A cold start before it has its own count of updates.
  const { coldStart, ...rest } = start.state;
  let state: TrainState = { ...rest, warmedUp: 0 };
  let often = state.adapter;
  const shareWith = async (flat: Float32Array): ReturnType<typeof habitShare> => {
    await agent.policy.setAdapter?.({ spec: settings.adapter, flat });
    return habitShare(start, kind, state.warmedUp);
  };
  while (now.kept > few * now.of && state.warmedUp < most) {
    often = state.adapter;
    const next = state.warmedUp + atOnce;
    let done = state.warmedUp;
    state = await warmUpAdapter({
      settings: { ...settings, warmUp },
      learner,
      demonstrations,
      state,
      rate: 'constant',
      now: () => agent.now(),
      onUpdate: (update) => start.onProgress((done = update), most),
      onNotice: () => undefined,
      shouldStop: () => done >= next || start.shouldStop(),
    });
    if (state.warmedUp < next && start.shouldStop()) return null;
    now = await shareWith(state.adapter);
  }
  const seldom = state.adapter;
  const found = await bisectAdapterScale(
    (at) => shareWith(interpolateAdapters(often, seldom, at)),
    { scale: 1, ...now },
    { least, most: few, tries: START.tries },
  );
  const adapter = found.scale === 1 ? seldom : interpolateAdapters(often, seldom, found.scale);
  await agent.policy.setAdapter?.({ spec: settings.adapter, flat: adapter });
  start.onNotice(
    kind.said({
      updates: state.warmedUp,
      from: demonstrations.length,
      kept: found.kept,
      before: before.kept,
      of: found.of,
    }),
  );
  // Reinforcement learning begins with another loss.
  const still = new Float32Array(state.first.length);
  return {
    ...state,
    adapter,
    first: still,
    second: still.slice(),
    warmedUp: start.state.warmedUp,
    coldStart,
    startMade: true,
  };
}
