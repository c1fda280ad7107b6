import type { Batch, Cursor } from './batches.ts';
import type { BatchSource } from './streams.ts';
import type { Learner } from './learner.ts';
import { batchPlan, updateOptions, type PretrainSettings } from './plan.ts';
import type { Example } from './replica.ts';
import { summarise, summariseByKind, type Summary } from './statistics.ts';

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
