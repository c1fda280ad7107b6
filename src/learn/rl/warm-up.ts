import type { Rollout } from '../../records/rollout.ts';
import { itemAt } from '../../base/items.ts';
import { deriveSeed } from '../../base/random.ts';
import { adamW, clipScale, DEFAULT_UPDATE, globalNorm } from '../../policy/lora/optimizer.ts';
import { startsOf } from '../mask.ts';
import { Cycle } from '../sampling/cycle.ts';
import type { PolicyLearner } from '../replicas/learner.ts';
import { trainedCount, type TrainItem } from '../replicas/replica.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import type { Demonstrations } from './contracts.ts';
import type { TrainState } from './state.ts';

/**
 * Supervised format warm-up of an adapter on trajectories (KunLunBaizeRAG, 2506.19466, section 2.3,
 * before reinforcement learning): mean negative log-likelihood of the policy's own tokens. What the
 * environment wrote is read, not learned. Of gold and noisy trajectories every update takes as many of
 * each, equation (14), however many there are.
 */

export interface WarmUp {
  settings: TrainSettings & { warmUp: NonNullable<TrainSettings['warmUp']> };
  learner: PolicyLearner;
  /** Given ones are of one class; the run's own of two. */
  demonstrations: readonly Rollout[] | Demonstrations;
  state: TrainState;
  onUpdate(done: number): void;
  onNotice(line: string): void;
  /** Asked between updates. */
  shouldStop(): boolean;
}

/** Tokens of a trajectory: the mask comes from who wrote a segment. */
function itemOf(rollout: Rollout): TrainItem {
  const { segments } = rollout;
  const starts = startsOf(rollout);
  const ids = Int32Array.from(segments.flatMap((segment) => segment.ids));
  const mask = Uint8Array.from(
    segments.flatMap(({ ids: own, source, mask: trained }) =>
      own.map(() => (source === 'policy' && trained === 1 ? 1 : 0)),
    ),
  );
  const none = new Float32Array(trainedCount(mask));
  // Supervision is of the model itself, whatever the trajectories were sampled at.
  const temperature = 1;
  return {
    ids,
    mask,
    temperature,
    oldLogprobs: none,
    refLogprobs: null,
    advantage: 1,
    weight: 0,
    ...(starts.length > 0 && { starts }),
  };
}

/** Those that can be learned from. @throws Error where none can, with the reasons counted */
export function usableDemonstrations(
  demonstrations: readonly Rollout[],
  { onlyCorrect, maxTokens }: { onlyCorrect: boolean; maxTokens: number },
): TrainItem[] {
  const right = demonstrations.filter(({ metrics }) => !onlyCorrect || metrics?.em === 1);
  const items = right.map(itemOf);
  const fitting = items.filter(({ ids }) => ids.length <= maxTokens);
  const usable = fitting.filter(({ mask }) => trainedCount(mask) > 0);
  if (usable.length === 0)
    throw new Error(
      `warm-up: none of ${demonstrations.length} trajectories can be used: ` +
        `${demonstrations.length - right.length} are not known to be correct, ` +
        `${items.length - fitting.length} are longer than ${maxTokens} tokens, ` +
        `${fitting.length - usable.length} have no tokens of a policy`,
    );
  return usable;
}

/** Mean loss over the tokens of a batch: every token weighs the same. */
function weighed(items: readonly TrainItem[]): TrainItem[] {
  const tokens = items.reduce((sum, { mask }) => sum + trainedCount(mask), 0);
  return items.map((item) => ({ ...item, weight: 1 / tokens }));
}

/** Draw i of all updates: the classes take turns, each in an order of its own. */
function drawsOf(
  { demonstrations, settings }: Pick<WarmUp, 'demonstrations' | 'settings'>,
  maxTokens: number,
): { draw: (i: number) => TrainItem; counted: string } {
  const seed = deriveSeed(settings.seed, 'warm-up');
  const { onlyCorrect } = settings.warmUp;
  if (!('gold' in demonstrations)) {
    const usable = usableDemonstrations(demonstrations, { onlyCorrect, maxTokens });
    const order = new Cycle(usable, seed);
    const given = demonstrations.length;
    const of = usable.length === given ? '' : ` of ${given}`;
    return { draw: (i) => order.at(i), counted: `${usable.length}${of} trajectories` };
  }
  const classes = (['gold', 'noisy'] as const).flatMap((name) => {
    const own = demonstrations[name];
    if (own.length === 0) return [];
    const usable = usableDemonstrations(own, { onlyCorrect, maxTokens });
    return [{ name, count: usable.length, order: new Cycle(usable, deriveSeed(seed, name)) }];
  });
  return {
    draw: (i) =>
      itemAt(classes, i % classes.length, 'trajectories').order.at(Math.floor(i / classes.length)),
    counted:
      `${classes.map(({ name, count }) => `${count} ${name}`).join(' and ')} trajectories, ` +
      `kept of ${demonstrations.tried} rollouts`,
  };
}

/** What to do where the run's own right rollouts are of one class alone, (14) being of two; null where they are of both. */
function oneClass(demonstrations: WarmUp['demonstrations']): string | null {
  if (!('gold' in demonstrations)) return null;
  const { gold, noisy } = demonstrations;
  if (gold.length > 0 && noisy.length > 0) return null;
  const [missing, there, advice] =
    noisy.length === 0
      ? ['noise in its results', 'clean ones', 'make the noise weaker (curriculum.noise)']
      : ['clean results', 'noisy ones', 'start from a model that answers more of them'];
  return (
    `Warm-up: no rollout with ${missing} was correct, so it uses only ${there} instead of both 1 : 1. ` +
    `To have both, sample more rollouts (warmUp.rollouts) or ${advice}, in a new run.`
  );
}

/**
 * Makes what is left of the warm-up's updates, or fewer where `shouldStop` says so. The order of the
 * trajectories follows from the run's seed. AdamW's moments are kept between updates in the state and
 * set to 0 after the last, since reinforcement learning begins with another loss.
 * @throws Error where nothing can be learned from, or a gradient is not finite
 */
export async function warmUpAdapter(warmUp: WarmUp): Promise<TrainState> {
  const { settings, learner, state } = warmUp;
  const { updates, batch, learningRate } = settings.warmUp;
  const { beta1, beta2, eps, weightDecay, clipNorm } = settings.optimizer;
  const { draw, counted } = drawsOf(warmUp, learner.maxTokens);
  const lacking = oneClass(warmUp.demonstrations);
  if (lacking !== null) warmUp.onNotice(lacking);
  const values = state.adapter.slice();
  const first = state.first.slice();
  const second = state.second.slice();
  const losses: number[] = [];
  let done = state.warmedUp;
  while (done < updates && !warmUp.shouldStop()) {
    const drawn = Array.from({ length: batch }, (_, i) => draw(done * batch + i));
    learner.setAdapter(values.slice());
    const { gradient, items } = await learner.gradient(weighed(drawn), 'likelihood');
    const norm = globalNorm(gradient);
    if (!Number.isFinite(norm)) throw new Error('warm-up: the gradient is not finite');
    adamW(
      { values, gradient, first, second },
      {
        ...DEFAULT_UPDATE,
        lr: learningRate,
        beta1,
        beta2,
        eps,
        weightDecay,
        step: done + 1,
        gradientScale: clipScale(norm, clipNorm),
      },
      weightDecay,
    );
    losses.push(items.reduce((sum, { loss }) => sum + loss, 0));
    warmUp.onUpdate(++done);
  }
  const [firstLoss, lastLoss] = [losses[0], losses.at(-1)];
  if (firstLoss !== undefined && lastLoss !== undefined)
    warmUp.onNotice(
      `Warm-up: ${done} of ${updates} updates on ${counted}, loss ` +
        `${firstLoss.toFixed(3)} → ${lastLoss.toFixed(3)} nats per token.`,
    );
  const over = done >= updates;
  return {
    ...state,
    adapter: values,
    first: over ? new Float32Array(first.length) : first,
    second: over ? new Float32Array(second.length) : second,
    warmedUp: done,
  };
}
