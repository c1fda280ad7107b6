import { itemAt } from '../../base/items.ts';
import { recipeOf } from '../../recipes/index.ts';
import {
  mergeOverrides,
  withOverrides,
  type SettingsOverride,
} from '../../recipes/parts/settings.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { branchedSequences, creditShared } from '../branching/step.ts';
import type { CriticState } from '../critic/head.ts';
import { rewardById } from '../rewards/list.ts';
import type { StoredStage } from '../../recipes/parts/stage-loss.ts';
import { overridesInForce } from '../settings/overrides.ts';
import { stageAt } from '../settings/stages.ts';
import { isStored } from '../../recipes/parts/stage-loss.ts';
import { supervisedItems } from '../supervised/items.ts';
import { storedItems } from '../supervised/stored.ts';
import {
  finishedAlone,
  referenceLogprobs,
  sequencesMasked,
  sequencesOf,
  stepAdvantagesOf,
  updateBatches,
} from './batch.ts';
import type { Collected } from './collect.ts';
import type { TrainDeps } from './contracts.ts';
import { shuffleRewards } from './scoring.ts';
import { rateGroups } from '../rate-groups.ts';
import type { TrainState } from './state.ts';
import { klToReference, optimize, type UpdateReport } from './update.ts';

/** From the rollouts of a step to the adapter after it. */

interface StepUpdate {
  deps: TrainDeps;
  settings: TrainSettings;
  state: TrainState;
  collected: Collected;
  /** Score the reference though no loss needs it. */
  measureKl: boolean;
  /** Told of each micro-batch; what it throws ends the update. */
  onUpdate: (done: number, total: number) => void;
}

export interface Updated {
  /** Null where nothing was to be learned from, or the router is trained alone. */
  update: UpdateReport | null;
  /** Mean over the policy's tokens, nats; null where the reference was not scored. */
  kl: number | null;
  revived: Pick<TrainState, 'reviveRate'>;
  critic?: CriticState;
}

/** An update on stored trajectories, which needs no rollouts. */
async function storedUpdate(
  { deps, settings, state, onUpdate }: StepUpdate,
  loss: StoredStage,
): Promise<Updated> {
  const { stored, learner } = deps;
  if (!stored)
    throw new Error('training: the stage learns from stored trajectories, and there are none');
  learner.setAdapter(state.adapter);
  onUpdate(0, 1);
  const { items, loss: before } = await storedItems(learner, stored, loss, {
    step: state.step + 1,
    seed: settings.seed,
  });
  const update =
    items.length > 0
      ? await optimize(learner, [items], state, settings, onUpdate, 'likelihood')
      : null;
  if (update && before !== undefined) update.loss = before;
  const { reviveRate } = state;
  return { update, kl: null, revived: reviveRate === undefined ? {} : { reviveRate } };
}

/** Searches that a rollout of a stage may make. */
const searchesAllowed = (settings: TrainSettings, ofStage: SettingsOverride = {}): number =>
  withOverrides(recipeOf(settings).settings, mergeOverrides(overridesInForce(settings), ofStage))
    .retrieval.maxSearches;

/** Advantages and the optimizer updates of one step. */
export async function updateOf(step: StepUpdate): Promise<Updated> {
  const { deps, settings, state, measureKl, onUpdate } = step;
  const at = stageAt(settings.stages, state.step + 1);
  const { reward, loss, overrides } = itemAt(settings.stages, at, 'stages');
  if (isStored(loss)) return storedUpdate(step, loss);
  const { trained, all, stale } = step.collected;
  const { learner, curriculum } = deps;
  const { objective, router, seed, branching } = settings;
  const { tokenizer } = deps.agent.policy;
  learner.setAdapter(state.adapter);
  const { sequences: written, ...revived } = await branchedSequences(
    learner,
    trained,
    sequencesOf,
    { branching, tokenizer, rate: state.reviveRate },
  );
  const [open, close] = [tokenizer.specialId('<result>'), tokenizer.specialId('</result>')];
  const masked =
    objective.mask !== undefined && open !== undefined && close !== undefined
      ? await sequencesMasked(learner, written, objective.mask, {
          open,
          close,
          calls: searchesAllowed(settings, overrides),
        })
      : written;
  const sequences = objective.maskUnfinished === true ? masked.map(finishedAlone) : masked;
  if (settings.shuffleRewards)
    shuffleRewards(
      sequences.map(({ rollout }) => rollout),
      seed,
      state.step + 1,
    );
  if (router.train === 'alone' || sequences.length === 0) {
    curriculum.observe?.(all);
    return { update: null, kl: null, revived };
  }
  onUpdate(0, 1);
  const scored = objective.kl.place !== 'off' || measureKl;
  const references = scored ? await referenceLogprobs(learner, sequences) : null;
  const { advantages, critic } = await stepAdvantagesOf(learner, settings, {
    sequences,
    references,
    steps: rewardById(reward)?.steps ?? [],
    critic: state.critic,
  });
  curriculum.observe?.(all);
  const own = creditShared({ sequences, advantages, references }, branching);
  const learned = loss && (await supervisedItems(learner, sequences, loss, tokenizer));
  const batches = learned
    ? [learned.items].filter(({ length }) => length > 0)
    : updateBatches(own.sequences, own.advantages, own.references, settings, stale);
  const by = loss ? 'likelihood' : objective;
  const rates = rateGroups(deps.config, settings);
  const update =
    batches.length > 0
      ? await optimize(learner, batches, state, settings, onUpdate, by, rates)
      : null;
  if (update && learned?.loss !== undefined) update.loss = learned.loss;
  const kl = references ? klToReference(sequences, references) : null;
  return { update, kl, revived, ...(critic && { critic }) };
}
