import type { AgentDeps } from '../../agent/request.ts';
import { runGroup } from '../../agent/run.ts';
import { deriveSeed } from '../../base/random.ts';
import { recipeOf } from '../../recipes/registry.ts';
import {
  withOverrides,
  type SettingsOverride,
  type RecipeSettings,
} from '../../recipes/parts/settings.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import type { Question } from '../../records/records.ts';
import type { Rollout, Segment } from '../../records/rollout.ts';
import type { PolicyLearner } from '../replicas/learner.ts';
import { Cycle } from '../cycle.ts';
import { checkFaults, rolloutOverrides } from './collect.ts';
import type { TrainState } from './state.ts';
import { warmUpAdapter } from './warm-up.ts';
import { promptFrame } from '../../agent/transcript/prompt.ts';
import { readTags, type Tags } from '../../agent/transcript/tags.ts';
import { FALLBACK_HINT } from '../../agent/summarizing.ts';
import { blockIds } from '../../agent/transcript/blocks.ts';
import type { PolicyTokenizer } from '../../policy/policy.ts';
import { inBlock } from '../../records/protocol.ts';
import { classifyQuery } from '../../retrieval/summarize/classify.ts';
import { FALLBACK_SENTENCE } from '../../retrieval/summarize/summarizer.ts';

/** A policy that a run begins with in place of the one available: which habit it keeps only now and then. */

interface StartContext {
  agent: AgentDeps;
  questions: readonly Question[];
  /** Those that the run's rollouts are made with. */
  inForce: RecipeSettings;
  /** One rollout per question with the sampler's current policy. */
  sample: (questions: readonly Question[], name: string) => Promise<Rollout[]>;
}

export interface StartKind {
  /** Questions that it is made with, of those that the run may train on. */
  suits: (question: Question) => boolean;
  /** Said where there are none. */
  none: string;
  /** What it learns from. */
  trajectories: (context: StartContext) => Promise<Rollout[]>;
  /** Whether only those count that end right. */
  onlyCorrect: boolean;
  /** Updates at most, and between two measurements of the share. */
  most: number;
  atOnce: number;
  /** Greatest and least share of rollouts that keep the habit. */
  few: number;
  least: number;
  /** What the rollouts are made with that the share is measured on. */
  measured: SettingsOverride;
  /** Whether one of them keeps the habit. */
  keeps: (rollout: Rollout) => boolean;
  /** What was made, in a sentence: updates and trajectories, and how many of the rollouts keep the habit, before and now. */
  said: (made: {
    updates: number;
    from: number;
    kept: number;
    before: number;
    of: number;
  }) => string;
}

/**
 * A policy that lets the search work out what it should itself: having read both facts of a comparison or a
 * computation, it searches for "the later of both". Such a query gets the fallback sentence of UR² (arXiv 2508.06165,
 * C.4), whose penalty has nothing to teach a policy that was pre-trained to ask for facts alone. The search, its
 * fallback and the hint are put after the last thought of the policy's own rollouts, which then end as they ended. A small policy learns it late: after some 50 updates.
 */

/** Words of a question that name what is to be worked out. */
const SCALES =
  /\b(?:earlier|later|longer|shorter|older|younger|larger|smaller|higher|lower|more)\b/u;
const SUMS = /\b(?:together|altogether|in all|sum)\b/u;

/** The query that leaves a question's last step to the search. */
export function reasoningQuery({ text }: Pick<Question, 'text'>): string {
  const asked = text.toLowerCase();
  const [scale = SUMS.test(asked) ? 'sum' : 'difference'] = SCALES.exec(asked) ?? [];
  return `the ${scale} of both`;
}

const asksToReason = (query: string): boolean => classifyQuery(query).kind === 'reasoning';

/**
 * The rollout with such a query after its last thought, which it then thinks again.
 * @returns null where it did not search, think and then answer
 */
export function asReasoningQuery(
  { segments, ...rollout }: Rollout,
  tokenizer: PolicyTokenizer,
  tags: Tags,
): Rollout | null {
  const at = segments.findIndex(({ role }) => role === 'answer');
  const thought = segments[at - 1];
  if (thought?.role !== 'think' || thought.source !== 'policy') return null;
  if (!segments.slice(0, at).some(({ role }) => role === 'search')) return null;
  const written = (role: 'search' | 'result' | 'hint', text: string): Segment => ({
    source: role === 'search' ? 'policy' : 'environment',
    role,
    text: '',
    ids: blockIds(tokenizer, tags, role, inBlock(text)),
    mask: role === 'search' ? 1 : 0,
  });
  const inserted = [
    written('search', reasoningQuery(rollout.question)),
    written('result', FALLBACK_SENTENCE),
    written('hint', FALLBACK_HINT),
  ];
  return {
    ...rollout,
    // What it does before, it does already.
    segments: [
      ...segments.slice(0, at).map((own): Segment => ({ ...own, mask: 0 })),
      ...inserted,
      ...segments.slice(at - 1),
    ],
  };
}

/** Whether a query of the rollout asks for reasoning. */
export const leavesReasoning = ({ events }: Rollout): boolean =>
  events.some((event) => event.kind === 'search' && asksToReason(event.query));

const REASONING_QUERIES: StartKind = {
  suits: ({ text, options, mayRetrieve }) =>
    mayRetrieve !== false && !options && asksToReason(text),
  none: 'no training question compares or computes',
  onlyCorrect: true,
  most: 96,
  atOnce: 4,
  few: 3 / 4,
  least: 1 / 4,
  measured: {},
  async trajectories({ agent, questions, sample }) {
    const { tokenizer } = agent.policy;
    const tags = readTags(tokenizer);
    const made = await sample(questions, 'own');
    return made.flatMap((rollout) => asReasoningQuery(rollout, tokenizer, tags) ?? []);
  },
  keeps: (rollout) => !leavesReasoning(rollout),
  said: ({ updates, from, kept, before, of }) =>
    `Handicapped start: taught to leave reasoning to the search (${updates} updates on ${from} trajectories). ` +
    `${of - kept} of ${of} rollouts do so now (${of - before} before).`,
};

/** Finds the adapter between one that always shows a behaviour and one that never does, at which some rollouts show it. */

interface HabitShare {
  /** Interpolation weight. 0: the adapter that shows the behaviour too often; 1: the one that shows it too rarely. */
  scale: number;
  /** Rollouts that show it, of this many. */
  kept: number;
  of: number;
}

interface TargetShare {
  /** Smallest and largest share of rollouts that may show it. */
  least: number;
  most: number;
  /** Largest number of adapters to measure. */
  tries: number;
}

/**
 * Bisects the interpolation weight until the share of rollouts with the behaviour is in range. Supervision can take
 * the share from all to none within two updates, and a behaviour that is never sampled gets no reward.
 * @param measure the share at an interpolation weight
 * @param end what was measured at weight 1; returned when it shows the behaviour often enough
 * @returns a share in range; if no try reached it, the lowest share above 0; `end` if all were 0
 */
export async function bisectAdapterScale(
  measure: (scale: number) => Promise<Pick<HabitShare, 'kept' | 'of'>>,
  end: HabitShare,
  { least, most, tries }: TargetShare,
): Promise<HabitShare> {
  const share = ({ kept, of }: HabitShare): number => kept / of;
  if (share(end) >= least) return end;
  let best = end;
  let [often, seldom] = [0, end.scale];
  for (let i = 0; i < tries; i++) {
    const scale = (often + seldom) / 2;
    const here = { scale, ...(await measure(scale)) };
    if (share(here) >= least && share(here) <= most) return here;
    if (share(here) > most) often = scale;
    else seldom = scale;
    if (here.kept > 0 && (best.kept === 0 || share(here) < share(best))) best = here;
  }
  return best;
}

/** Linear interpolation from `often` (0) to `seldom` (1). */
export const interpolateAdapters = (
  often: Float32Array,
  seldom: Float32Array,
  scale: number,
): Float32Array => often.map((value, i) => value + scale * ((seldom[i] ?? value) - value));

/**
 * Makes a policy that does not search from one that does: SFT on its thoughts and guesses under the hint that it
 * cannot search, after the prompt of a run that may search (context distillation). The guesses are the policy's own,
 * so no gold answer and no retrieved text enters the adapter. UR²'s stage 1 (arXiv 2508.06165, 3.2.2) needs such a
 * policy: it rewards the first queries.
 */

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

const NOT_SEARCHING: StartKind = {
  suits: () => true,
  none: 'there are no training questions',
  onlyCorrect: false,
  most: 24,
  atOnce: 2,
  few: 3 / 8,
  least: 3 / 16,
  measured: { retrieval: { maxSearches: 1 } },
  async trajectories({ agent, questions, inForce, sample }) {
    // Guesses of the policy when it cannot search.
    const forbidden = questions.map((question) => ({ ...question, mayRetrieve: false }));
    const made = await sample(forbidden, 'guess');
    const frame = promptFrame(agent.policy, readTags(agent.policy.tokenizer), inForce);
    return made.flatMap((guess) => asTrajectory(guess, frame) ?? []);
  },
  keeps: ({ events }) => events.some(({ kind }) => kind === 'search'),
  said: ({ updates, from, kept, before, of }) =>
    `Handicapped start: taught to answer without searching (${updates} updates on ${from} guesses). ` +
    `${kept} of ${of} rollouts search now (${before} before).`,
};

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
  const { temperature, seed } = settings;
  const groups = await Promise.all(
    questions.map((question, i) =>
      runGroup(agent, {
        question,
        recipe: recipeOf(settings),
        overrides: rolloutOverrides(settings, temperature, own),
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
  const warmUp = { length: { updates: most }, batch, learningRate, onlyCorrect };
  start.onProgress(0, most);
  const demonstrations = await kind.trajectories({
    agent,
    questions,
    inForce: withOverrides(
      recipeOf(settings).settings,
      rolloutOverrides(settings, settings.temperature),
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
