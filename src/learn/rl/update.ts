import { ADAPTER_MOMENTS, adamW, clipScale, globalNorm } from '../../policy/lora/optimizer.ts';
import { gateRates, learningRateAt } from '../schedule.ts';
import type { PolicyLearner } from '../replicas/learner.ts';
import type { ItemObjective, ItemResult, TrainItem } from '../replicas/replica.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import type { TrainState } from './state.ts';
import { itemAt } from '../../base/items.ts';
import { mean } from '../../base/statistics.ts';
import type { PolicyConfig } from '../../policy/checkpoint/config.ts';
import { loraSize } from '../../policy/lora/spec.ts';
import { klRuleOf, klTerm } from '../objective.ts';

/** Values of an adapter that learn at one rate: [from, to), at `factor` times the adapter's. */
export interface RateGroup {
  readonly from: number;
  readonly to: number;
  readonly factor: number;
}

/** The whole adapter at its own rate. */
const ONE_RATE: readonly RateGroup[] = [{ from: 0, to: Infinity, factor: 1 }];

/** Factors, weights of gates, Λ, which follow one schedule. */
export function rateGroups(
  config: PolicyConfig,
  { adapter, optimizer }: Pick<TrainSettings, 'adapter' | 'optimizer'>,
): readonly RateGroup[] {
  const { gates } = adapter;
  const rates = gates && gateRates.get(gates.id)?.(gates);
  if (!rates) return ONE_RATE;
  const factors = loraSize(config, adapter);
  const { hiddenSize: width } = config;
  const lambda = factors + 2 * (width * width + width);
  return [
    { from: 0, to: factors, factor: 1 },
    { from: factors, to: lambda, factor: rates.weights / optimizer.learningRate },
    { from: lambda, to: Infinity, factor: rates.lambda / optimizer.learningRate },
  ];
}

/** The optimizer's half of a step. */

export interface UpdateReport {
  adapter: Float32Array;
  first: Float32Array;
  second: Float32Array;
  updates: number;
  /** Means over the updates. */
  loss: number;
  gradientNorm: number;
  learningRate: number;
  clipShare: number;
  trainedTokens: number;
  /** Of the first update, whose adapter is still the sampler's: |trainer − sampler| in nats. */
  samplerGap: { max: number; mean: number };
}

/**
 * Largest and mean distance of what the trainer gives the sampled tokens from what the sampler gave; of an earlier
 * adapter's rollouts it says nothing.
 */
function gapOf(
  items: readonly Pick<TrainItem, 'oldLogprobs' | 'stale'>[],
  results: readonly Pick<ItemResult, 'logprobs'>[],
): { max: number; mean: number } {
  let [max, sum, n] = [0, 0, 0];
  items.forEach(({ oldLogprobs, stale }, s) => {
    if (stale) return;
    const { logprobs } = itemAt(results, s, 'results');
    oldLogprobs.forEach((old, i) => {
      const gap = Math.abs(itemAt(logprobs, i, 'log-probabilities') - old);
      max = Math.max(max, gap);
      sum += gap;
      n++;
    });
  });
  return { max, mean: n === 0 ? 0 : sum / n };
}

/**
 * Mean k3 to the reference over the trained tokens that the policy wrote, nats; at the sampler's log-probabilities.
 * @param sequences `mask`: what is trained; `written`: what the policy wrote
 */
export function klToReference(
  sequences: readonly { oldLogprobs: Float32Array; mask: Uint8Array; written: Uint8Array }[],
  references: readonly Float32Array[],
): number {
  // Nothing precedes a context's first token, so it is not trained.
  const own = sequences.map(({ mask, written }) =>
    Array.from(mask.keys())
      .filter((i) => i > 0 && mask[i] === 1)
      .map((i) => written[i] === 1),
  );
  const kept = (values: Float32Array, s: number): Float32Array =>
    values.filter((_, i) => own[s]?.[i]);
  const tokens = sequences.map(({ oldLogprobs }, s) => ({ oldLogprobs: kept(oldLogprobs, s) }));
  return meanKl('k3', tokens, references.map(kept)) ?? 0;
}

/**
 * Makes the updates of a step (of the settings' objective unless another is given): gradient over replicas, clipping by global norm, AdamW. The state is
 * left as it is; the new values are in the report.
 * @throws Error where a gradient is not finite
 */
export async function optimize(
  learner: PolicyLearner,
  batches: readonly (readonly TrainItem[])[],
  state: TrainState,
  settings: TrainSettings,
  onDone: (done: number, total: number) => void,
  objective: ItemObjective = settings.objective,
  rates: readonly RateGroup[] = ONE_RATE,
): Promise<UpdateReport> {
  const { optimizer, steps } = settings;
  const base = { ...optimizer, learningRate: state.learningRate ?? optimizer.learningRate };
  const lr = learningRateAt(base, state.step + 1, steps);
  const values = state.adapter.slice();
  const first = state.first.slice();
  const second = state.second.slice();
  const [losses, norms]: [number[], number[]] = [[], []];
  let [tokens, clipped] = [0, 0];
  let samplerGap = { max: 0, mean: 0 };
  for (const [u, items] of batches.entries()) {
    learner.setAdapter(values.slice());
    const result = await learner.gradient(items, objective, (done, total) =>
      onDone(u * total + done, batches.length * total),
    );
    const norm = globalNorm(result.gradient);
    if (!Number.isFinite(norm)) throw new Error('training: the gradient is not finite');
    const { weightDecay, clipNorm } = optimizer;
    const step = state.updates + u + 1;
    const gradientScale = clipScale(norm, clipNorm);
    const options = { ...ADAPTER_MOMENTS, lr, step, gradientScale };
    for (const { from, to, factor } of rates) {
      const part = (of: Float32Array): Float32Array => of.subarray(from, to);
      adamW(
        {
          values: part(values),
          gradient: part(result.gradient),
          first: part(first),
          second: part(second),
        },
        { ...options, lr: lr * factor },
        weightDecay,
      );
    }
    // Supervised items say nothing of the sampler.
    if (u === 0 && objective !== 'likelihood') samplerGap = gapOf(items, result.items);
    norms.push(norm);
    losses.push(result.items.reduce((sum, { loss }) => sum + loss, 0));
    for (const item of result.items) {
      tokens += item.logprobs.length;
      clipped += item.clipped;
    }
  }
  return {
    adapter: values,
    first,
    second,
    updates: state.updates + batches.length,
    loss: mean(losses),
    gradientNorm: mean(norms),
    learningRate: lr,
    clipShare: tokens === 0 ? 0 : clipped / tokens,
    trainedTokens: tokens,
    samplerGap,
  };
}

/** Mean over the trained tokens of all rollouts; null of none. */
export function meanKl(
  form: TrainSettings['objective']['kl']['form'],
  sequences: readonly { oldLogprobs: Float32Array }[],
  references: readonly Float32Array[],
): number | null {
  let [sum, n] = [0, 0];
  sequences.forEach(({ oldLogprobs }, s) => {
    const reference = itemAt(references, s, 'references');
    oldLogprobs.forEach((p, i) => {
      sum += klTerm(form, p, itemAt(reference, i, 'log-probabilities')).value;
      n++;
    });
  });
  return n === 0 ? null : sum / n;
}

/** Settings with the coefficient that a step has. @param moved as the steps before left it; absent: as the settings begin */
export function withCoefficient(
  settings: TrainSettings,
  step: number,
  moved: number | undefined,
): TrainSettings {
  const { objective, steps } = settings;
  const { kl } = objective;
  const first = moved ?? kl.coefficient;
  const coefficient = klRuleOf(kl)?.coefficient?.({ step, steps, first }) ?? first;
  return { ...settings, objective: { ...objective, kl: { ...kl, coefficient } } };
}
