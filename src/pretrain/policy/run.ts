import type { Batch, Cursor } from './batches.ts';
import type { BatchSource } from './streams.ts';
import type { Learner } from './learner.ts';
import { batchPlan, updateOptions, type PretrainSettings } from './plan.ts';
import type { Example, Score } from './replica.ts';

/** Teacher-forced results over sequences. */
interface Summary {
  sequences: number;
  /** Mean negative log-probability of the policy's tokens, in nats. */
  loss: number;
  /** Share of the policy's tokens that were the most probable ones. */
  accuracy: number;
  /** Share of sequences in which all of them were. */
  whole: number;
}

function summarise(scores: readonly Score[]): Summary {
  const scored = scores.filter((s) => s.tokens > 0);
  const sum = (of: (s: Score) => number): number => scored.reduce((a, s) => a + of(s), 0);
  const tokens = Math.max(
    1,
    sum((s) => s.tokens),
  );
  return {
    sequences: scored.length,
    loss: sum((s) => s.nll) / tokens,
    accuracy: sum((s) => s.right) / tokens,
    whole: scored.filter((s) => s.right === s.tokens).length / Math.max(1, scored.length),
  };
}

/** Summaries by kind, kinds in alphabetical order. */
function summariseByKind(
  examples: readonly Example[],
  scores: readonly Score[],
): Record<string, Summary> {
  const kinds = [...new Set(examples.map((e) => e.kind))].sort();
  return Object.fromEntries(
    kinds.map((kind) => [kind, summarise(scores.filter((_, i) => examples[i]?.kind === kind))]),
  );
}

/** What a run has done; with weights and moments, all that resuming needs. */
export interface Progress {
  /** Updates done. */
  step: number;
  tokens: number;
  cursor: Cursor;
}

export interface StepLog extends Summary, Progress {
  lr: number;
  gradientNorm: number;
  environmentWeight: number;
}

export interface Hooks {
  /** After every update. Returning `stop` ends the run; state is complete at that point. */
  afterStep(log: StepLog): Promise<'go on' | 'stop'>;
}

/** Runs updates from `progress` to `settings.steps`, preparing the next batch as replicas compute. */
export async function runPretraining(
  settings: PretrainSettings,
  source: BatchSource,
  learner: Learner,
  progress: Progress,
  hooks: Hooks,
): Promise<Progress> {
  let at = progress;
  let next: Batch | Promise<Batch> | undefined;
  while (at.step < settings.steps) {
    const { step } = at;
    const plan = batchPlan(settings, step);
    const batch = await (next ?? source.batch(at.cursor, plan));
    const options = updateOptions(settings, step);
    const prepare = (): void => {
      next = source.batch(batch.cursor, batchPlan(settings, step + 1));
      // Said where it is waited for.
      Promise.resolve(next).catch(() => undefined);
    };
    const { scores, gradientNorm } = await learner.step(
      batch.examples,
      options,
      { clip: settings.clip, partTokens: settings.microTokens },
      prepare,
    );
    at = { step: step + 1, tokens: at.tokens + batch.tokens, cursor: batch.cursor };
    const log: StepLog = {
      ...at,
      ...summarise(scores),
      lr: options.optimizer === 'muon' ? options.muonLr : options.lr,
      gradientNorm,
      environmentWeight: plan.environmentWeight,
    };
    if ((await hooks.afterStep(log)) === 'stop') break;
  }
  return at;
}

/** Held-out results: all, and by kind. */
export async function evaluateHeldOut(
  learner: Learner,
  examples: readonly Example[],
): Promise<{ all: Summary; byKind: Record<string, Summary> }> {
  const scores = await learner.evaluate(examples);
  return { all: summarise(scores), byKind: summariseByKind(examples, scores) };
}
