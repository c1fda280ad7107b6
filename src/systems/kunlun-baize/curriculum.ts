import { z } from 'zod';
import type { Question } from '../../records/records.ts';
import type { Rollout } from '../../records/rollout.ts';
import { deriveSeed, uniform } from '../../base/random.ts';
import type { Retriever } from '../../retrieval/retriever.ts';
import { NoisyRetriever } from '../../learn/curriculum/noisy-retriever.ts';
import type { CurriculumGround } from '../../learn/curriculum/provided.ts';
import { Cycle } from '../../learn/cycle.ts';
import type { Curriculum, DrawnQuestion, Json } from '../../learn/rl/contracts.ts';
import type { Params } from './system.ts';

/** Share of gold in epoch e: min(1, e / E). KunLunBaizeRAG (arXiv 2506.19466), equation (15). */
export const goldShare = (epoch: number, turning: number): number => Math.min(1, epoch / turning);

/** α_e ∝ log(1 + e), equation (16), scaled so that it is 1 in epoch E; it grows on behind E. */
const alpha = (epoch: number, turning: number): number => Math.log1p(epoch) / Math.log1p(turning);

/** α of (16) where noise ends with what is not gold yet: never more than 1. */
export const noiseStrength = (epoch: number, turning: number): number =>
  Math.min(1, alpha(epoch, turning));

/**
 * Share of gold groups in epoch e, (15). With `noiseFloor`, "the noisier the later": never more than leaves
 * a share of `noiseFloor · α` to noise, so that behind E, where (15) leaves none, it grows with (16).
 * @param noiseEpoch e of (16), which may count retrievals
 */
export function goldGroups(
  epoch: number,
  noiseEpoch: number,
  { goldEpochs, noiseFloor }: Pick<Params, 'goldEpochs' | 'noiseFloor'>,
): number {
  const gold = goldShare(epoch, goldEpochs);
  if (noiseFloor === null) return gold;
  return Math.max(0, Math.min(gold, 1 - noiseFloor * alpha(noiseEpoch, goldEpochs)));
}

const count = z.int().min(0);
const stateSchema = z.strictObject({ drawn: count, retrievals: count });

/**
 * KunLunBaizeRAG's semantic stabilization for rollouts: `gold` questions are worked on with the
 * retriever as it is, `noisy` ones with results into which noise is mixed. Gold grows by (15) until
 * from epoch E on there is nothing else, or, by the other reading (`noiseFloor`), nothing but
 * a share of noise that grows; how strong the noise of a noisy group is grows by (16) up to E. An epoch
 * is a step. The paper drives the noise by the epoch and, elsewhere, by retrieval frequency; `noiseBy`
 * chooses, and counts as many retrievals as a step has rollouts as one epoch.
 */
export class GoldNoiseCurriculum implements Curriculum {
  readonly #params: Params;
  /** Rollouts of a step, not counting what is drawn again. */
  readonly #rollouts: number;
  readonly #retriever: Retriever;
  readonly #seed: number;
  readonly #questions: Cycle<Question>;
  #state = { drawn: 0, retrievals: 0 };

  /** @throws Error without questions */
  constructor(params: Params, { settings, questions, retriever, seed }: CurriculumGround) {
    this.#params = params;
    this.#rollouts = settings.questions * settings.groupSize;
    this.#retriever = retriever;
    this.#seed = seed;
    this.#questions = new Cycle(questions, seed);
  }

  draw(request: { step: number; batch: number; count: number }): Promise<DrawnQuestion[]> {
    const { step, batch } = request;
    const { noise, goldEpochs } = this.#params;
    const noiseEpoch = this.#noiseEpoch(step);
    const share = goldGroups(step, noiseEpoch, this.#params);
    const strength = noise * noiseStrength(noiseEpoch, goldEpochs);
    // Systematic sampling: the count is the share to within one, and right on average.
    const start = uniform(deriveSeed(this.#seed, 'gold', step, batch));
    const drawn = Array.from({ length: request.count }, (_, i): DrawnQuestion => {
      const question = this.#questions.at(this.#state.drawn++);
      const gold = Math.floor((i + 1) * share + start) > Math.floor(i * share + start);
      if (gold) return { question, label: 'gold' };
      const seed = deriveSeed(this.#seed, 'noise', step, batch, i);
      const options = { strength, seed, supporting: question.supporting };
      return {
        question,
        label: 'noisy',
        agent: { retriever: new NoisyRetriever(this.#retriever, options) },
      };
    });
    return Promise.resolve(drawn);
  }

  observe(groups: readonly (readonly Rollout[])[]): void {
    for (const { metrics } of groups.flat()) this.#state.retrievals += metrics?.searches ?? 0;
  }

  state(): Json {
    return { ...this.#state };
  }

  restore(state: Json): void {
    this.#state = stateSchema.parse(state);
  }

  /** e of (16), from 1. */
  #noiseEpoch(step: number): number {
    if (this.#params.noiseBy === 'epoch') return step;
    return 1 + this.#state.retrievals / this.#rollouts;
  }
}

export const curriculum = (params: Params, ground: CurriculumGround): GoldNoiseCurriculum =>
  new GoldNoiseCurriculum(params, ground);
