import type { Question } from '../../records/records.ts';
import { outsideOf } from '../../records/outside-answer.ts';
import { heldOutGroup, type HeldOutQuestion, type HeldOutScore } from '../../records/training.ts';
import type { Rollout } from '../../records/rollout.ts';
import { deriveSeed } from '../../base/random.ts';
import { runGroup } from '../../agent/run.ts';
import type { AgentDeps } from '../../agent/request.ts';
import { recipeOf } from '../../recipes/registry.ts';
import type { SettingsOverride } from '../../recipes/parts/settings.ts';
import { Random } from '../../base/random.ts';
import type { HeldOutJudge } from './contracts.ts';
import { rolloutOverrides } from './collect.ts';
import { mean, meanOrNull } from '../../base/statistics.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';

/** Scores on a sample that no run trains on, the same for every run, with the same seeds. */

const SAMPLE_SEED = 20_250_619;

/** A fixed random sample of questions, in the order of the questions given. */
export function heldOutSample(questions: readonly Question[], count: number): Question[] {
  const random = new Random(SAMPLE_SEED);
  const keys = questions.map((question, place) => ({ question, place, key: random.uniform() }));
  const chosen = keys.toSorted((a, b) => a.key - b.key).slice(0, count);
  return chosen.toSorted((a, b) => a.place - b.place).map(({ question }) => question);
}

/** Means over rollouts; recall over those whose question names supporting titles, null where none does. */
export function scoresOf(rollouts: readonly Rollout[]): HeldOutScore {
  const metrics = rollouts.flatMap((rollout) => rollout.metrics ?? []);
  const supported = rollouts.filter(({ question }) => question.supporting.length > 0);
  return {
    n: rollouts.length,
    em: mean(metrics.map((m) => m.em)),
    f1: mean(metrics.map((m) => m.f1)),
    recall: meanOrNull(supported.flatMap((r) => r.metrics?.recall ?? [])),
    searches: mean(metrics.map((m) => m.searches)),
    formatValid: mean(metrics.map((m) => Number(m.formatValid))),
  };
}

/** What a held-out question is run with: sampled and routed apart from training, the same in every run. */
export const heldOutRollout = (
  settings: TrainSettings,
  /** Place in the sample, from 0. */
  place: number,
  /** What the curriculum changes. */
  learned: SettingsOverride = {},
): { overrides: SettingsOverride; seed: number } => ({
  overrides: rolloutOverrides(settings, settings.heldOut.temperature, {
    ...learned,
    nlr: { routing: 'argmax' },
  }),
  seed: deriveSeed(SAMPLE_SEED, 'held-out', place),
});

/** Rollouts that run together; the questions of one wave start at once. */
const WAVE = 64;

interface HeldOutRun {
  runId: string;
  step: number;
  signal?: AbortSignal | undefined;
  judge?: HeldOutJudge | undefined;
  /** What the curriculum changes. */
  learned?: SettingsOverride | undefined;
  /** Told of each rollout when it ends, and how many have. */
  onRollout?: ((rollout: Rollout, done: number) => void) | undefined;
}

/** What is kept of a held-out rollout beside the means. */
const questionOf = (rollout: Rollout): HeldOutQuestion => {
  const { question, answer, metrics } = rollout;
  return {
    id: question.id,
    text: question.text,
    gold: question.answers[0] ?? '',
    answer,
    ...outsideOf(rollout),
    em: metrics?.em ?? 0,
    f1: metrics?.f1 ?? 0,
    searches: metrics?.searches ?? 0,
  };
};

/** One rollout per question at the held-out temperature, each search routed to the likelier source. */
export async function scoreHeldOut(
  settings: TrainSettings,
  agent: AgentDeps,
  questions: readonly Question[],
  { runId, step, signal, judge, learned, onRollout }: HeldOutRun,
  onDone?: (done: number, total: number) => void,
): Promise<HeldOutScore> {
  const recipe = recipeOf(settings);
  const rollouts: Rollout[] = [];
  const start = agent.now();
  let ended = 0;
  for (let from = 0; from < questions.length; from += WAVE) {
    const wave = questions.slice(from, from + WAVE).map((question, i) =>
      runGroup(agent, {
        question,
        recipe,
        ...heldOutRollout(settings, from + i, learned),
        size: 1,
        runId,
        step,
        groupId: heldOutGroup(runId, step, from + i),
        ...(signal ? { signal } : {}),
        onRollout: (rollout) => onRollout?.(rollout, ++ended),
      }),
    );
    rollouts.push(...(await Promise.all(wave)).flat());
    signal?.throwIfAborted();
    onDone?.(rollouts.length, questions.length);
  }
  const scores = {
    ...scoresOf(rollouts),
    seconds: (agent.now() - start) / 1000,
    questions: rollouts.map(questionOf),
  };
  return judge ? { ...scores, judge: await judge(rollouts, { step, signal }) } : scores;
}
