import { canonical, sha256 } from '../../base/hash.ts';
import type { FrozenSource } from '../../learn/frozen/answers.ts';
import type { Branching } from '../../recipes/parts/branching.ts';
import { asWord, getRecipe } from '../../systems/index.ts';
import { mergeOverrides, type SettingsOverride, LOCAL_ONLY } from '../../recipes/parts/settings.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { loopOf, type ResolvedArm } from './file/arms.ts';
import type { Pace } from './file/file.ts';
import type { Study } from './file/read.ts';
import type { NamedWorld } from './file/worlds.ts';

/**
 * What a study needs: trainings, and scores of policies over worlds. Each is named by a digest of all
 * that decides it, so that what is there is not made again, arms and studies that share a training or
 * the policy at step 0 share its scores, and another setting is another name.
 */

export interface PlannedTraining {
  /** Name of its folder: `kunlun-baize-dapo-s1-on-seed11-0123456789ab`. */
  key: string;
  settings: TrainSettings;
  world: NamedWorld;
  demonstrations: string | null;
  summarizer: ResolvedArm['summarizer'];
}

export interface PlannedScore {
  key: string;
  /** Key of the training whose adapter is scored; null: the policy at step 0. */
  training: string | null;
  /** PEFT folder of the adapter of an arm that the study does not train. */
  adapter: string | null;
  recipe: string;
  overrides: SettingsOverride;
  world: NamedWorld;
  summarizer: ResolvedArm['summarizer'];
  /** What the policy without adapter is asked of each rollout; null: nothing. */
  frozen: FrozenSource | null;
  /** Several rollouts per question, and how they come from each other; null: one. */
  group: { size: number; branching: Branching | null } | null;
  /** How rollouts that run together continue, where that is measured. */
  pace: Pace | null;
}

/** What a score stands for in the tables. */
interface ScoreUse {
  arm: string;
  /** null of an arm that is not trained, and at the start, which no seed has a part in. */
  seed: number | null;
  trainWorld: string | null;
  world: string;
  /** Before training, or after. */
  at: 'start' | 'end';
  score: string;
}

export interface StudyPlan {
  trainings: PlannedTraining[];
  scores: PlannedScore[];
  uses: ScoreUse[];
  /** By arm, seed and world that it is trained on. */
  runs: { arm: string; seed: number; trainWorld: string; training: string }[];
}

/** What decides an adapter's folder. */
const WEIGHTS = 'adapter_model.safetensors';

/** What the digests are made of beside the study. */
export interface PlanCircumstances {
  /** Names the policy's weights. */
  revision: string;
  /** What decides the content of a world: form and seed, or digests of files. */
  identityOf(world: NamedWorld): Promise<unknown>;
  /** Digest of a file of the study. */
  digestOf(path: string): Promise<string>;
}

const digest = async (value: unknown): Promise<string> =>
  (await sha256(canonical(value))).slice(0, 12);

/** The world's web does not know the user's passages. */
const sourcesOf = ({ source }: NamedWorld): SettingsOverride =>
  source.kind === 'corpus' ? LOCAL_ONLY : {};

class Planner {
  readonly plan: StudyPlan = { trainings: [], scores: [], uses: [], runs: [] };
  readonly #study: Study;
  readonly #given: PlanCircumstances;

  constructor(study: Study, given: PlanCircumstances) {
    this.#study = study;
    this.#given = given;
  }

  async training(arm: ResolvedArm, seed: number, world: NamedWorld): Promise<string> {
    const { settings: base, demonstrations } = arm;
    if (!base) throw new Error(`arm "${arm.name}" is not trained`);
    const overrides = mergeOverrides(base.overrides, sourcesOf(world));
    const settings: TrainSettings = { ...base, overrides, seed };
    const id = await digest({
      settings,
      loop: loopOf(getRecipe(settings.recipe), overrides),
      version: getRecipe(settings.recipe).version,
      policy: this.#given.revision,
      world: await this.#given.identityOf(world),
      webDelayMs: this.#study.file.webDelayMs,
      demonstrations: demonstrations === null ? null : await this.#given.digestOf(demonstrations),
      ...(arm.summarizer !== 'extractive' && { summarizer: arm.summarizer }),
    });
    const key = `${asWord(settings.preset)}-s${seed}-on-${asWord(world.name)}-${id}`;
    if (!this.plan.trainings.some((one) => one.key === key))
      this.plan.trainings.push({
        key,
        settings,
        world,
        demonstrations,
        summarizer: arm.summarizer,
      });
    return key;
  }

  async score(arm: ResolvedArm, training: string | null, world: NamedWorld): Promise<string> {
    const {
      group: size,
      questions,
      split,
      compositions,
      seed,
      timed,
      reward,
      routerReward,
    } = this.#study.file.evaluate;
    const group = size === undefined ? null : { size, branching: arm.branching };
    const overrides = mergeOverrides(arm.evaluation, sourcesOf(world));
    const recipe = getRecipe(arm.recipe);
    const adapter = training === null ? arm.adapter : null;
    const id = await digest({
      training,
      ...(adapter !== null && { adapter: await this.#given.digestOf(`${adapter}/${WEIGHTS}`) }),
      policy: this.#given.revision,
      recipe: { id: recipe.id, version: recipe.version, loop: loopOf(recipe, overrides) },
      world: await this.#given.identityOf(world),
      webDelayMs: this.#study.file.webDelayMs,
      evaluate: { questions, split, compositions, seed, timed, reward, routerReward },
      ...(arm.summarizer !== 'extractive' && { summarizer: arm.summarizer }),
      ...(arm.frozen && { frozen: arm.frozen }),
      ...(group && { group }),
      ...(arm.pace && { pace: arm.pace }),
    });
    const start = adapter === null ? 'start' : (adapter.split('/').findLast(Boolean) ?? 'adapter');
    const subject = training === null ? `${start}-${recipe.id}` : training.replace(/-on-.*$/, '');
    const key = `${asWord(subject)}-over-${asWord(world.name)}-${id}`;
    if (!this.plan.scores.some((one) => one.key === key))
      this.plan.scores.push({
        key,
        training,
        adapter,
        recipe: recipe.id,
        overrides,
        world,
        summarizer: arm.summarizer,
        frozen: arm.frozen,
        group,
        pace: arm.pace,
      });
    return key;
  }

  async start(arm: ResolvedArm): Promise<void> {
    for (const world of this.#study.worlds) {
      const score = await this.score(arm, null, world);
      const of = { arm: arm.name, seed: null, trainWorld: null, world: world.name, score };
      this.plan.uses.push({ ...of, at: 'start' });
      if (!arm.settings) this.plan.uses.push({ ...of, at: 'end' });
    }
  }

  async cell(arm: ResolvedArm, seed: number, on: NamedWorld): Promise<void> {
    const training = await this.training(arm, seed, on);
    this.plan.runs.push({ arm: arm.name, seed, trainWorld: on.name, training });
    for (const world of this.#study.worlds) {
      const score = await this.score(arm, training, world);
      this.plan.uses.push({
        arm: arm.name,
        seed,
        trainWorld: on.name,
        world: world.name,
        at: 'end',
        score,
      });
    }
  }
}

/**
 * Trainings and scores in the order in which they are made: seed by seed over all arms, so that what
 * is there after a part of the time compares them.
 */
export async function planStudy(study: Study, given: PlanCircumstances): Promise<StudyPlan> {
  const planner = new Planner(study, given);
  for (const arm of study.arms) await planner.start(arm);
  const trained = study.arms.filter(({ settings }) => settings);
  for (const seed of study.file.train?.seeds ?? [])
    for (const on of study.trainWorlds)
      for (const arm of trained) await planner.cell(arm, seed, on);
  return planner.plan;
}
