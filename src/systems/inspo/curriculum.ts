import { z } from 'zod';
import { runGroup } from '../../agent/run.ts';
import { itemAt } from '../../base/items.ts';
import { deriveSeed, uniform } from '../../base/random.ts';
import { mean } from '../../base/statistics.ts';
import type { CurriculumGround } from '../../learn/curriculum/provided.ts';
import { factsThroughVerifier } from '../../learn/rewards/verifier.ts';
import { checkFaults, rolloutOverrides } from '../../learn/rl/collect.ts';
import type { Curriculum, DrawnQuestion, DrawRequest, Json } from '../../learn/rl/contracts.ts';
import { applyRewards } from '../../learn/rl/scoring.ts';
import { Cycle } from '../../learn/cycle.ts';
import { stageAt } from '../../learn/schedule.ts';
import {
  mergeOverrides,
  type RecipeSettings,
  type SettingsOverride,
} from '../../recipes/parts/settings.ts';
import { recipeOf } from '../../recipes/registry.ts';
import { FORM_BLOCKS } from '../../records/form-line.ts';
import type { Question } from '../../records/records.ts';
import type { Rollout } from '../../records/rollout.ts';
import {
  drawnBy,
  keyOf,
  pruned,
  ranked,
  replayed,
  weightAfter,
  type Episode,
  type Instruction,
  type Member,
} from './population.ts';
import { FIRST, propose } from './propose.ts';
import type { Evolution } from './system.ts';

type Sampling = NonNullable<DrawRequest['sampling']>;

const stateSchema = z.strictObject({
  drawn: z.int().min(0),
  /** The step before which the population was last changed. */
  evolved: z.int().min(0),
  population: z.array(
    z.strictObject({
      text: z.string(),
      blocks: z.array(z.enum(FORM_BLOCKS)),
      weight: z.number().nullable(),
    }),
  ),
  replay: z.array(z.strictObject({ text: z.string(), reward: z.number() })),
});

/** Changes of the loop's settings that make a policy follow an instruction. */
const following = ({ text, blocks }: Instruction): SettingsOverride => ({
  ...(blocks.length > 0 && { blocks }),
  ...(text !== '' && { system: { id: 'inspo', instruction: text } }),
});

/** The key of the instruction that a rollout followed. */
function followed({ recipe }: Rollout): string {
  const { blocks, system } = recipe.settings as unknown as RecipeSettings;
  const instruction = system?.['instruction'];
  return keyOf({ text: typeof instruction === 'string' ? instruction : '', blocks });
}

const episodeOf = ({ question, events, answer, reward }: Rollout): Episode => {
  const queries = events.flatMap((event) => (event.kind === 'search' ? [event.query] : []));
  const lines = [
    `Question: ${question.text}`,
    `Searches: ${queries.join('; ') || 'none'}`,
    `Answer: ${answer ?? 'none'}; right is ${question.answers[0] ?? 'unknown'}`,
  ];
  return { text: lines.map((line) => line.slice(0, 240)).join('\n'), reward: reward ?? 0 };
};

/** Questions as they come, each with an instruction out of the population. */
class Instructions implements Curriculum {
  readonly #params: Evolution;
  readonly #ground: CurriculumGround;
  readonly #questions: Cycle<Question>;
  readonly #verifying: Cycle<Question>;
  #drawn = 0;
  #evolved = 0;
  #population: Member[] = [];
  #replay: Episode[] = [];

  constructor(params: Evolution, ground: CurriculumGround) {
    this.#params = params;
    this.#ground = ground;
    this.#questions = new Cycle(ground.questions, ground.seed);
    this.#verifying = new Cycle(ground.questions, deriveSeed(ground.seed, 'verify'));
  }

  async draw({ step, count, sampling }: DrawRequest): Promise<DrawnQuestion[]> {
    if (this.#population.length === 0) await this.#begin(sampling);
    const { every, temperature } = this.#params;
    if (every > 0 && step > 1 && (step - 1) % every === 0 && this.#evolved !== step)
      await this.#evolve(step, sampling);
    return Array.from({ length: count }, () => {
      const place = this.#drawn++;
      const draw = uniform(deriveSeed(this.#ground.seed, 'instruction', place));
      const member = drawnBy(this.#population, temperature, draw);
      return {
        question: this.#questions.at(place),
        label: (keyOf(member) || 'first instruction').slice(0, 80),
        overrides: following(member),
      };
    });
  }

  /** Takes a step's rewards into the weights of the instructions that its groups followed. */
  observe(groups: readonly (readonly Rollout[])[]): void {
    const rollouts = groups.flat();
    for (const member of this.#population) {
      const own = rollouts.filter((rollout) => followed(rollout) === keyOf(member));
      if (own.length === 0) continue;
      const reward = mean(own.map((rollout) => rollout.reward ?? 0));
      member.weight = weightAfter(member.weight, reward, this.#params.rate);
    }
    this.#replay = replayed(this.#replay, rollouts.map(episodeOf), this.#params.replay);
  }

  heldOut(): SettingsOverride {
    const [best = FIRST] = ranked(this.#population);
    return following(best);
  }

  state(): Json {
    const population = this.#population.map((member) => ({ ...member }));
    const replay = this.#replay.map((episode) => ({ ...episode }));
    return { drawn: this.#drawn, evolved: this.#evolved, population, replay };
  }

  restore(state: Json): void {
    const { drawn, evolved, population, replay } = stateSchema.parse(state);
    [this.#drawn, this.#evolved, this.#population, this.#replay] = [
      drawn,
      evolved,
      population,
      replay,
    ];
  }

  /** The first population: the recipe's own instruction, and others. */
  async #begin(sampling: Sampling | undefined): Promise<void> {
    const first: Member = { ...FIRST, weight: null };
    const others = await this.#propose(this.#params.population - 1, 0, first, sampling);
    this.#population = [first, ...others.map((one) => ({ ...one, weight: null }))];
  }

  /** Prunes the population, and fills it with the proposals that did best on questions for verification. */
  async #evolve(step: number, sampling: Sampling | undefined): Promise<void> {
    const [best = { ...FIRST, weight: null }] = ranked(this.#population);
    const found = await this.#propose(this.#params.proposals, step, best, sampling);
    const verified = await Promise.all(
      found.map(async (one) => ({ ...one, weight: await this.#verify(one, step, sampling) })),
    );
    const kept = pruned(this.#population);
    const places = this.#params.population - kept.length;
    this.#population = [...kept, ...ranked(verified).slice(0, places)];
    this.#evolved = step;
  }

  #propose(
    count: number,
    step: number,
    parent: Instruction,
    sampling: Sampling | undefined,
  ): Promise<Instruction[]> {
    const { agent, signal } = needed(sampling);
    return propose({
      policy: agent.policy,
      known: new Set(this.#population.map(keyOf)),
      parent,
      episodes: this.#replay,
      count,
      tokens: this.#params.tokens,
      seed: deriveSeed(this.#ground.seed, 'propose', step),
      signal,
    });
  }

  /** Mean reward of the policy that follows an instruction, on the same questions and seeds for all of a step. */
  async #verify(
    instruction: Instruction,
    step: number,
    sampling: Sampling | undefined,
  ): Promise<number> {
    const { agent, runId, signal } = needed(sampling);
    const { settings } = this.#ground;
    const stage = itemAt(settings.stages, stageAt(settings.stages, step), 'stages');
    const { temperature, overlong } = settings;
    const overrides = mergeOverrides(
      rolloutOverrides(settings, temperature, stage.overrides),
      following(instruction),
    );
    const rollouts = await Promise.all(
      Array.from({ length: this.#params.verify }, (_, i) =>
        runGroup(agent, {
          question: this.#verifying.at(step * this.#params.verify + i),
          recipe: recipeOf(settings),
          overrides,
          seed: deriveSeed(this.#ground.seed, 'verify', step, i),
          groupId: `${runId}-${step}-verify-${i}`,
          size: 1,
          runId,
          step,
          ...(signal && { signal }),
        }),
      ),
    );
    signal?.throwIfAborted();
    checkFaults(rollouts.flat());
    applyRewards(rollouts.flat(), stage, overlong, factsThroughVerifier(settings));
    return mean(rollouts.flat().map((rollout) => rollout.reward ?? 0));
  }
}

function needed(sampling: Sampling | undefined): Sampling {
  if (sampling) return sampling;
  throw new Error(
    'curriculum: instructions evolve by what the policy writes, and there is no policy',
  );
}

export const curriculum = (params: Evolution, ground: CurriculumGround): Curriculum =>
  new Instructions(params, ground);
