import { declaredCurriculum } from '../../recipes/parts/curriculum.ts';
import { definedRules } from '../objective.ts';
import { allRewards } from '../rewards/registry.ts';
import { klRules } from '../../recipes/parts/objective-rules.ts';
import { isStored } from '../../recipes/parts/stage-loss.ts';
import { samplings, type TrainSettings } from '../../recipes/parts/training.ts';

/** Switches of training that do nothing, or cannot be, with the other settings. */

export interface Clash {
  /** Path of the setting at fault. */
  path: string;
  /** What is wrong, and what to do. */
  message: string;
}

const clash = (path: string, message: string): Clash => ({ path, message });

function samplingClash(settings: TrainSettings): Clash | null {
  const { by, system } = settings.dynamicSampling ?? {};
  if (typeof by === 'object' && by.above >= by.below)
    return clash(
      'dynamicSampling.by',
      `No accuracy is above ${by.above} and below ${by.below}. Set above to the smaller number.`,
    );
  if (!system) return null;
  const { groupSize, branching, adapter, router } = settings;
  const message = samplings.declared.get(system.id)?.clash(system, {
    groupSize,
    branching,
    latent: Boolean(adapter.gates),
    trainsOnlyRouter: router.train === 'alone',
  });
  return message == null ? null : clash('dynamicSampling.system', message);
}

/**
 * What the curriculum of a system needs of a run that begins.
 * @param searches whether the loop of its rollouts lets the policy search
 */
export function beginningClash(
  { curriculum, steps, questions }: TrainSettings,
  searches: boolean,
): Clash | null {
  if (!curriculum.system) return null;
  const message =
    declaredCurriculum(curriculum)?.clash(curriculum.system, { steps, questions, searches }) ??
    null;
  return message === null ? null : clash('curriculum.system', message);
}

/** Rules of systems beside the other settings. */
function rulesClash(settings: TrainSettings): Clash | null {
  for (const id of Object.keys(settings.objective.rules)) {
    const message = definedRules.get(id)?.clash?.(settings, allRewards()) ?? null;
    if (message !== null) return clash(`objective.rules.${id}`, message);
  }
  return null;
}

function klClash({ objective: { kl } }: TrainSettings): Clash | null {
  const message = kl.system ? klRules.declared.get(kl.system.id)?.clash(kl) : null;
  return message == null ? null : clash('objective.kl.system', message);
}

/** What has no part in mixtures: it scores or teaches tokens alone. */
function gatesClash({ adapter, objective, branching, stages }: TrainSettings): Clash | null {
  const { gates } = adapter;
  if (!gates) return null;
  if (gates.rMin > gates.rMax) return clash('adapter.gates', 'rMin must not be above rMax.');
  if (typeof objective.estimator !== 'string')
    return clash(
      'objective.estimator',
      'A critic needs tokens, and latent thinking has mixtures. Choose an estimator by groups.',
    );
  if (branching)
    return clash(
      'branching',
      'Branching copies tokens, and latent thinking has mixtures. Leave branching out.',
    );
  const supervised = stages.findIndex(({ loss }) => loss !== undefined);
  return supervised < 0
    ? null
    : clash(
        `stages.${supervised}.loss`,
        'Supervision uses tokens only, so gates would learn nothing. Leave the loss out, or set adapter.gates to null.',
      );
}

/** Of the file that a run may be given, either a warm-up or its stages take what is in it. */
function storedClash({ stages, warmUp }: TrainSettings): Clash | null {
  return stages.some(({ loss }) => isStored(loss)) && warmUp && !warmUp.own
    ? clash(
        'warmUp',
        'A run has one file of trajectories, and a stage already uses it. Set warmUp to null or give warmUp.own, or leave the stored stage out.',
      )
    : null;
}

/** The first switch at fault; null where there is none. */
export const switchClash = (settings: TrainSettings): Clash | null =>
  samplingClash(settings) ??
  rulesClash(settings) ??
  klClash(settings) ??
  gatesClash(settings) ??
  storedClash(settings);
