import type { z } from 'zod';
import { provideHooks, type LoopHooks } from '../../agent/hooks.ts';
import type { Recipe } from '../../recipes/parts/recipe.ts';
import { declaredGroupings } from '../../recipes/parts/branching.ts';
import {
  definedKl,
  stepEstimators,
  type KlRule,
  type StepEstimator,
} from '../../learn/objective.ts';
import { provideGrouping, type Grouping } from '../../learn/branching/grouping.ts';
import { provideCurriculum, type CurriculumGround } from '../../learn/curriculum/provided.ts';
import type { Curriculum } from '../../learn/rl/contracts.ts';
import type { RewardFacts } from '../../learn/rewards/parts/facts.ts';
import { judges } from '../../learn/rewards/parts/definition.ts';
import { gateRates } from '../../learn/schedule.ts';
import { provideSampling, type SampleGroups } from '../../learn/rl/sampling.ts';
import { declareSystem, type SystemSettings, type Traits } from '../../recipes/parts/system.ts';
import { declaredCurricula, type BeginningRun } from '../../recipes/parts/curriculum.ts';
import { klRules } from '../../recipes/parts/objective-rules.ts';
import {
  declaredGates,
  estimators,
  samplings,
  verifiers,
  type Gates,
  type SampledRun,
  type TrainSettings,
} from '../../recipes/parts/training.ts';

/** A recipe with code of its own. */
export interface SystemDefinition<Params extends z.ZodObject> extends Recipe {
  /**
   * Its own parameters, all optional or set in `values`. A loop has them under `system`, beside the system's id:
   * `--set overrides.system.clicks=3`.
   */
  params: Params;
  /** Values of its parameters, where they are not the schema's defaults. */
  values?: z.input<Params>;
  /** What a trainer must know of its rollouts. */
  traits?: (params: z.infer<Params>) => Traits;
  /** The code of its loop, loaded with the first rollout; none where its traits say all. */
  loop?: () => Promise<{ hooks: (params: z.infer<Params>) => LoopHooks }>;
}

function ownOf<Params extends z.ZodObject>(
  params: Params,
  system: SystemSettings,
): z.infer<Params> {
  const { id: _, ...own } = system;
  return params.parse(own);
}

/** Declares a system's parameters and code to the core. @returns its recipe, for the list */
export function defineSystem<Params extends z.ZodObject>({
  params,
  values,
  traits = () => ({}),
  loop,
  ...recipe
}: SystemDefinition<Params>): Recipe {
  declareSystem(recipe.id, { params, traits: (system) => traits(ownOf(params, system)) });
  provideHooks(recipe.id, async () => {
    const { hooks } = (await loop?.()) ?? {};
    return (system) => hooks?.(ownOf(params, system)) ?? {};
  });
  const system = { id: recipe.id, ...params.parse(values ?? {}) };
  return { ...recipe, settings: { ...recipe.settings, system } };
}

/** How a system's groups grow in training: `branching: { id, ... }`. */
export interface GroupingDefinition<Params extends z.ZodObject> {
  params: Params;
  /** Rollouts of a group that begin at the question; absent: all that the group size says. */
  begins?: (params: z.infer<Params>) => number;
  /** What the rollouts of a group do, after "a group whose rollouts". */
  grows: string;
  /** Its code, loaded with the first group. */
  load: () => Promise<{ grouping: (params: z.infer<Params>) => Grouping }>;
}

/** Declares how the groups of the system `id` grow. */
export function defineGrouping<Params extends z.ZodObject>(
  id: string,
  { params, begins, grows, load }: GroupingDefinition<Params>,
): void {
  declaredGroupings.set(id, {
    params,
    grows,
    begins: begins && ((branching) => begins(ownOf(params, branching))),
  });
  provideGrouping(id, async () => {
    const { grouping } = await load();
    return (branching) => grouping(ownOf(params, branching));
  });
}

/** Parameters of a curriculum that scores a pool of questions before the first draw. */
interface Scored {
  /** Questions that are scored. */
  pool: number;
  /** Rollouts that score a question. */
  scoringRollouts: number;
}

/** What a system draws in training: `curriculum: { system: { id, ... } }`. */
export interface CurriculumDefinition<Params extends z.ZodObject> {
  /** How it draws, after "questions are drawn". */
  draws: string;
  params: Params;
  /** Of its parameters, those of a pool that is scored; absent: none is. */
  scored?: (params: z.infer<Params>) => Scored;
  /** As `DeclaredCurriculum` of `src/recipes/parts/curriculum.ts`. */
  learns?: boolean;
  lacks?: (params: z.infer<Params>) => string | null;
  countsSearches?: boolean;
  needsOneServer?: (params: z.infer<Params>) => string | null;
  clash?: (params: z.infer<Params>, run: BeginningRun) => string | null;
  /** Its code, loaded with the first run. */
  load: () => Promise<{
    curriculum: (params: z.infer<Params>, ground: CurriculumGround) => Curriculum;
  }>;
}

/** Declares the curriculum of the system `id`. */
export function defineCurriculum<Params extends z.ZodObject>(
  id: string,
  definition: CurriculumDefinition<Params>,
): void {
  const { draws, params, scored, learns = false, load } = definition;
  const { lacks, countsSearches = false, needsOneServer, clash } = definition;
  declaredCurricula.set(id, {
    draws,
    params,
    learns,
    lacks: (system) => lacks?.(ownOf(params, system)) ?? null,
    scores(system) {
      if (!scored) return null;
      const { pool, scoringRollouts } = scored(ownOf(params, system));
      return pool === 0 ? null : { pool, rollouts: scoringRollouts };
    },
    scoredBy: (system, rollouts) =>
      'scoringRollouts' in params.shape ? { ...system, scoringRollouts: rollouts } : system,
    countsSearches,
    needsOneServer: (system) => needsOneServer?.(ownOf(params, system)) ?? null,
    clash: (system, run) => clash?.(ownOf(params, system), run) ?? null,
  });
  provideCurriculum(id, async () => {
    const { curriculum } = await load();
    return (system, ground) => curriculum(ownOf(params, system), ground);
  });
}

/** Declares how the system `id` samples the groups of a step: `dynamicSampling: { system: { id, ... } }`. */
export function defineSampling<Params extends z.ZodObject>(
  id: string,
  params: Params,
  clash: (params: z.infer<Params>, run: SampledRun) => string | null,
  load: () => Promise<{ sampling: (params: z.infer<Params>) => SampleGroups }>,
): void {
  const clashOf = (system: SystemSettings, run: SampledRun) => clash(ownOf(params, system), run);
  samplings.declared.set(id, { params, clash: clashOf });
  provideSampling(id, async () => {
    const { sampling } = await load();
    return (system) => sampling(ownOf(params, system));
  });
}

/** Declares the estimator of the system `id`: `objective: { estimator: { id, ... } }`. @param load its code, with the first update */
export function defineEstimator<Params extends z.ZodObject>(
  id: string,
  params: Params,
  load: () => Promise<(params: z.infer<Params>) => StepEstimator>,
): void {
  estimators.declared.set(id, { params });
  stepEstimators.set(id, async (system) => (await load())(ownOf(params, system)));
}

/** How a system weighs the KL: `objective.kl: { system: { id, ... } }`. */
export interface KlDefinition<Params extends z.ZodObject> {
  params: Params;
  /** As in `klRules`; absent: it can weigh any KL. */
  clash?: (kl: Pick<TrainSettings['objective']['kl'], 'place' | 'coefficient'>) => string | null;
  rule: (params: z.infer<Params>) => KlRule;
}

/** Declares how the system `id` weighs the KL. */
export function defineKl<Params extends z.ZodObject>(
  id: string,
  { params, clash = () => null, rule }: KlDefinition<Params>,
): void {
  klRules.declared.set(id, { params, clash });
  definedKl.set(id, (system) => rule(ownOf(params, system)));
}

/** Declares the gates of the system `id`: `adapter: { gates: { id, ... } }`. @param rates of their weights and of Λ */
export function defineGates<
  Params extends z.ZodObject<{ rMin: z.ZodType<number>; rMax: z.ZodType<number> }>,
>(
  id: string,
  params: Params,
  rates: (params: z.infer<Params>) => { weights: number; lambda: number },
): void {
  declaredGates.set(id, { params });
  gateRates.set(id, (gates: Gates) => rates(ownOf(params, gates)));
}

/** Declares the verifier of the system `id`: `verifier: { id, ... }`. */
export function defineVerifier<Params extends z.ZodObject>(
  id: string,
  params: Params,
  judge: (params: z.infer<Params>, facts: RewardFacts, draw: number) => RewardFacts,
): void {
  verifiers.declared.set(id, { params });
  judges.set(id, (system, facts, draw) => judge(ownOf(params, system), facts, draw));
}
