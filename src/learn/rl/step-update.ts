import { itemAt } from '../../base/items.ts';
import { klRuleOf, rightTeach, rulesOf } from '../objective.ts';
import { varies } from '../advantages.ts';
import type { Grouping } from '../branching/grouping.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { stageAt } from '../schedule.ts';
import type { SkippedUpdate } from '../../records/training.ts';
import {
  fillAdvantages,
  referenceLogprobs,
  sequencesOf,
  stepAdvantagesOf,
  updateBatches,
} from './batch.ts';
import type { Sequence } from '../mask.ts';
import type { Collected } from './collect.ts';
import type { TrainDeps } from './contracts.ts';
import type { TrainState } from './state.ts';
import {
  klToReference,
  meanKl,
  optimize,
  rateGroups,
  withCoefficient,
  type UpdateReport,
} from './update.ts';
import type { PolicyConfig } from '../../policy/checkpoint/config.ts';
import { loraSlots, type LoraSpec } from '../../policy/lora/spec.ts';
import type { Rollout } from '../../records/rollout.ts';

/**
 * Steps whose policy gradient is 0 whatever the model computes, so that the update can be skipped
 * before anything is scored.
 */

/** Whether the adapter changes nothing: every B is 0, as LoRA starts, and there are no gates. */
function policyIsReference(config: PolicyConfig, spec: LoraSpec, adapter: Float32Array): boolean {
  if (spec.gates) return false;
  return loraSlots(config, spec).every(
    ({ factor, offset, length }) =>
      factor === 'A' || adapter.subarray(offset, offset + length).every((value) => value === 0),
  );
}

type Objective = TrainSettings['objective'];

/**
 * Whether a KL term may move the policy: with k2 and k3 its slope is 0 where the policy is the
 * reference; the slope of k1 is 1 everywhere. In the reward the KL of such a policy is 0.
 */
const klPulls = ({ kl }: Objective, isReference: boolean): boolean =>
  kl.place !== 'off' &&
  kl.coefficient > 0 &&
  !(isReference && (kl.place === 'reward' || kl.form !== 'k1'));

/**
 * Whether the gradient of a step is 0 by construction: all advantages are 0, and no other term of
 * the objective has a gradient.
 * @param advantages one per rollout or per trained token, those of the loss
 */
const hasNoGradient = (
  objective: Objective,
  rollouts: readonly Rollout[],
  advantages: readonly (number | Float32Array)[],
  isReference: boolean,
): boolean =>
  advantages.every((own) => (typeof own === 'number' ? own === 0 : own.every((v) => v === 0))) &&
  !klPulls(objective, isReference) &&
  !(rightTeach(objective) && rollouts.some(({ metrics }) => metrics?.em === 1));

/** Why a step made no update, by the rewards of all its rollouts. */
function skippedFor(
  groups: readonly (readonly Rollout[])[],
  otherwise: Exclude<SkippedUpdate['why'], 'equal-rewards'>,
): SkippedUpdate {
  if (groups.some((group) => varies(group.map(({ reward }) => reward ?? 0))))
    return { why: otherwise };
  const rewards = new Set(groups.flat().map(({ reward }) => reward));
  const [only] = rewards;
  return {
    why: 'equal-rewards',
    ...(rewards.size === 1 && typeof only === 'number' && { reward: only }),
  };
}

/** From the rollouts of a step to the adapter after it. */

export interface StepUpdate {
  deps: TrainDeps;
  settings: TrainSettings;
  state: TrainState;
  collected: Collected;
  /** Score the reference though no loss needs it. */
  measureKl: boolean;
  /** Told of each micro-batch; what it throws ends the update. */
  onUpdate: (done: number, total: number) => void;
}

/** What a step hands on to the next beside the adapter: nothing of what it has not. */
type CarriedState = Pick<TrainState, 'critic' | 'klCoefficient' | 'reference'>;

export interface StepResult {
  /** Null where nothing was to be learned from, or only the router is trained. */
  update: UpdateReport | null;
  /** Why there is no update; absent where there is one, and where only the router is trained. */
  skipped?: SkippedUpdate;
  /** Mean over the policy's tokens, nats; null where the reference was not scored. */
  kl: number | null;
  /** What the KL weighed, where that changes from step to step. */
  klCoefficient?: number;
  /** Mean ratio of the tokens of probes after the update; absent where no clone was trained. */
  probeRatio?: number;
  carried: CarriedState;
}

/** What stays as the step before left it. A reference is of its own stage alone. */
export const carriedUnchanged = ({ critic, klCoefficient }: TrainState): CarriedState => ({
  critic,
  klCoefficient,
});

/** What a plain step of GRPO needs nothing of. */
const supervised = () => import('./supervised.ts');
const growing = () => import('../branching/grouping.ts');
const sharing = () => import('../branching/credit.ts');
const spans = () => import('../span-advantages.ts');
const controls = () => import('./scoring.ts');
const mixtures = () => import('../../agent/transcript/latents.ts');

/** The updates by policy gradient; null where there is no trained token. */
async function policyUpdate(
  { deps, state, collected, onUpdate }: StepUpdate,
  settings: TrainSettings,
  { sequences, advantages, references }: Credited,
): Promise<UpdateReport | null> {
  const { learner, config } = deps;
  const { stale } = collected;
  const batches = updateBatches(sequences, advantages, references, settings, stale);
  if (batches.length === 0) return null;
  const rates = rateGroups(config, settings);
  return optimize(learner, batches, state, settings, onUpdate, settings.objective, rates);
}

/** One value a sequence: of the whole, or one a trained token. */
interface Credited {
  sequences: readonly Sequence[];
  advantages: readonly (number | Float32Array)[];
  references: readonly Float32Array[] | null;
}

/** What each trained token counts for in the loss, by the rules of systems; shared ones count once. */
async function creditOwn(
  { objective }: Pick<TrainSettings, 'objective'>,
  grouping: Grouping | undefined,
  { sequences, advantages, references }: Credited,
): Promise<Credited> {
  const ruled = rulesOf(objective).reduce(
    (now, rule) => rule.advantages?.(now, sequences) ?? now,
    [...advantages],
  );
  const own = { sequences, advantages: ruled, references };
  return grouping?.credit ? (await sharing()).creditShared(own, grouping) : own;
}

/** Whether rewards hold all that advantages within groups are made of: no KL that is still to be scored. */
const rewardsAreWhole = (objective: Objective, isReference: boolean): boolean =>
  !(objective.kl.place === 'reward' && klPulls(objective, isReference));

const isTrained = ({ oldLogprobs }: Sequence): boolean => oldLogprobs.length > 0;

/** The coefficient of the next step, where a rule moves it. @param measured KL of this one; null where it was not scored */
function movedCoefficient(
  { kl }: Objective,
  measured: number | null,
): Pick<CarriedState, 'klCoefficient'> {
  const next = measured === null ? undefined : klRuleOf(kl)?.next?.(kl.coefficient, measured);
  return next === undefined ? {} : { klCoefficient: next };
}

/** A skipped update with its KL to the reference, which is 0 where the policy is the reference; else nobody scored it. */
function withKlOfNoUpdate(
  made: StepResult,
  objective: Objective,
  { isReference, measureKl }: { isReference: boolean; measureKl: boolean },
): StepResult {
  const { place, coefficient, system } = objective.kl;
  const measured = isReference && (place !== 'off' || measureKl) ? 0 : null;
  return {
    ...made,
    kl: measured,
    ...(system && { klCoefficient: coefficient }),
    carried: { ...made.carried, ...movedCoefficient(objective, measured) },
  };
}

/** Advantages and the optimizer updates of one step; none where the gradient is 0 by construction. */
export async function updateOf(step: StepUpdate): Promise<StepResult> {
  const { deps, state, measureKl, onUpdate } = step;
  const settings = withCoefficient(step.settings, state.step + 1, state.klCoefficient);
  const at = stageAt(settings.stages, state.step + 1);
  const { reward, loss } = itemAt(settings.stages, at, 'stages');
  if (loss?.kind === 'stored-sft' || loss?.kind === 'stored-dpo')
    return (await supervised()).storedUpdate(step, loss);
  const { trained, all } = step.collected;
  const { learner, curriculum } = deps;
  const { objective, router, seed, branching } = settings;
  const { tokenizer } = deps.agent.policy;
  learner.setAdapter(state.adapter);
  const grouping = branching && (await (await growing()).loadGrouping(branching));
  const { keptNumbers: kept = {} } = step.collected;
  const made = { groups: trained, learner, tokenizer, kept, sequencesOf };
  const written = (await grouping?.sequences?.(made)) ?? sequencesOf(trained);
  let sequences: readonly Sequence[] = written;
  if (settings.adapter.gates) sequences = (await mixtures()).withLatents(written);
  for (const rule of rulesOf(objective))
    sequences = (await rule.sequences?.({ sequences, learner, tokenizer })) ?? sequences;
  if (settings.shuffleRewards)
    (await controls()).shuffleRewards(
      sequences.map(({ rollout }) => rollout),
      seed,
      state.step + 1,
    );
  const without = (skipped?: SkippedUpdate): StepResult => {
    curriculum.observe?.(all);
    return {
      update: null,
      ...(skipped && { skipped }),
      kl: null,
      carried: carriedUnchanged(state),
    };
  };
  if (router.train === 'alone') return without();
  const still = policyIsReference(deps.config, settings.adapter, state.adapter);
  const steps = objective.credit === 'span' ? (await spans()).searchClauses(reward) : [];
  const { estimator } = objective;
  // A critic learns in any case.
  if (!loss && typeof estimator === 'string' && rewardsAreWhole(objective, still)) {
    const advantages = await fillAdvantages(sequences, estimator, steps);
    const own = await creditOwn(settings, grouping, { sequences, advantages, references: null });
    const rollouts = sequences.map(({ rollout }) => rollout);
    if (hasNoGradient(objective, rollouts, own.advantages, still)) {
      const unmade = without(
        skippedFor(all, sequences.some(isTrained) ? 'no-advantage' : 'no-trained-tokens'),
      );
      return withKlOfNoUpdate(unmade, objective, { isReference: still, measureKl });
    }
  }
  if (sequences.length === 0) return without(skippedFor(all, 'no-trained-tokens'));
  onUpdate(0, 1);
  const scored = objective.kl.place !== 'off' || measureKl;
  const references = scored ? await referenceLogprobs(deps.teacher ?? learner, sequences) : null;
  const parts = { sequences, references, steps };
  const { advantages, critic } = await stepAdvantagesOf(learner, objective, parts, state.critic);
  curriculum.observe?.(all);
  const own = await creditOwn(settings, grouping, { sequences, advantages, references });
  const { update, reference } = loss
    ? await (await supervised()).supervisedUpdate(step, sequences, loss)
    : { update: await policyUpdate(step, settings, own), reference: null };
  const { coefficient, form, system } = objective.kl;
  const measured = references && !loss ? meanKl(form, sequences, references) : null;
  const kl = references
    ? klToReference(
        sequences.map((sequence, s) => ({ ...sequence, written: itemAt(written, s).mask })),
        references,
      )
    : null;
  const ratio = update && (await grouping?.probeRatio?.(learner, sequences, update.adapter));
  return {
    update,
    ...(!update && { skipped: skippedFor(all, loss ? 'nothing-to-imitate' : 'no-trained-tokens') }),
    kl,
    ...(ratio != null && { probeRatio: ratio }),
    ...(system && { klCoefficient: coefficient }),
    carried: {
      ...carriedUnchanged(state),
      ...(critic && { critic }),
      ...(reference && { reference }),
      ...movedCoefficient(objective, measured),
    },
  };
}
