import { PROBE_STEPS } from '../curriculum/history/curriculum.ts';
import { FACT_REWARDS } from '../rewards/switches/fspo.ts';
import { isStored } from '../../recipes/parts/stage-loss.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';

/** Switches of training that do nothing, or cannot be, with the other settings. */

export interface Clash {
  /** Path of the setting at fault. */
  path: string;
  /** What is wrong, and what to do. */
  message: string;
}

const clash = (path: string, message: string): Clash => ({ path, message });

/** Screening of the next step's questions in this one. */
function aheadClash({ dynamicSampling, branching, adapter, router }: TrainSettings): Clash | null {
  const { screen, sameStepScreen = true } = dynamicSampling;
  if (sameStepScreen) return null;
  const path = 'dynamicSampling.sameStepScreen';
  if (screen === undefined)
    return clash(
      path,
      'No rollouts screen, so none can a step ahead. Set dynamicSampling.screen, or leave sameStepScreen out.',
    );
  if (branching)
    return clash(
      path,
      'Groups that branch are made whole within a step. Leave branching out, or set sameStepScreen to true.',
    );
  if (adapter.gates)
    return clash(
      path,
      'Mixtures of tokens are held for the step that made them. Set adapter.gates to null, or sameStepScreen to true.',
    );
  return router.train === 'alone'
    ? clash(
        path,
        'A router that is trained alone learns from every group, so that none is screened. Train it beside the policy, or set sameStepScreen to true.',
      )
    : null;
}

function samplingClash({ dynamicSampling, groupSize }: TrainSettings): Clash | null {
  const { on, band, screen } = dynamicSampling;
  if (!on && band)
    return clash(
      'dynamicSampling.band',
      'A band of accuracies filters groups of dynamic sampling, which is off. Switch dynamicSampling.on on, or the band off.',
    );
  if (band && band.low >= band.high)
    return clash(
      'dynamicSampling.band',
      `No share of right answers lies between ${band.low} and ${band.high}. Set low below high.`,
    );
  if (!on && screen !== undefined)
    return clash(
      'dynamicSampling.screen',
      'Screening decides which groups dynamic sampling keeps, and that is off. Switch dynamicSampling.on on, or leave screen out.',
    );
  if (screen !== undefined && (screen < 2 || screen >= groupSize))
    return clash(
      'dynamicSampling.screen',
      `${screen} of ${groupSize} rollouts cannot screen: at least 2 must, to differ, and fewer than the group has. Change screen or groupSize.`,
    );
  return null;
}

/** Spread is distinguished from accuracies of several epochs: every question of the pool has to be asked at least twice. */
export function probeClash({ curriculum, questions }: TrainSettings): Clash | null {
  const { kind, ids = [], pool, probeSteps = PROBE_STEPS } = curriculum;
  const most = Math.floor((probeSteps * questions) / 2);
  if (kind !== 'one-shot' || ids.length > 0 || pool <= most) return null;
  return clash(
    'curriculum.pool',
    `The question to train on is the one whose accuracy spreads most, and ${probeSteps} steps of ${questions} questions do not ask each of ${pool} twice. ` +
      (most > 0
        ? `Set curriculum.pool to ${most} or less, or name the question in curriculum.ids.`
        : 'Set curriculum.probeSteps higher, or name the question in curriculum.ids.'),
  );
}

/** Screening of groups that branch: what screens is the beginning of the group. */
function screenClash({ dynamicSampling: { screen }, branching }: TrainSettings): Clash | null {
  if (screen === undefined || branching === undefined || branching.kind === 'revive') return null;
  const begin = branching.kind === 'tree' ? branching.children : branching.start;
  return screen > begin
    ? clash(
        'dynamicSampling.screen',
        `Of a group ${begin} rollouts begin at the question and the others branch off, so that ${screen} cannot screen. Set screen to ${begin} or less.`,
      )
    : null;
}

function objectiveClash({ objective, stages, updates }: TrainSettings): Clash | null {
  const { surrogate, clip, factuality } = objective;
  if (surrogate === 'gppo' && !clip)
    return clash(
      'objective.surrogate',
      'GPPO keeps the gradient beyond the clip, and there is no clip. Set objective.clip, or leave surrogate out.',
    );
  if (surrogate === 'gppo' && updates < 2)
    return clash(
      'objective.surrogate',
      'With one update a step every ratio is 1 and no clip is met, so GPPO changes nothing. Set updates to 2 or more, or leave surrogate out.',
    );
  const without = stages.find(({ reward }) => !FACT_REWARDS.includes(reward));
  if (factuality !== undefined && without)
    return clash(
      'objective.factuality',
      `The reward ${without.reward} gives no verdicts on thoughts. Choose ${FACT_REWARDS.join(' or ')} in every stage, or leave factuality out.`,
    );
  return null;
}

/** A coefficient that goes after a target. */
function klClash({ objective: { kl } }: TrainSettings): Clash | null {
  if (!kl.adaptive) return null;
  if (kl.place === 'off')
    return clash(
      'objective.kl.adaptive',
      'There is no KL whose coefficient could go after a target. Set objective.kl.place, or adaptive to null.',
    );
  return kl.coefficient === 0
    ? clash(
        'objective.kl.adaptive',
        'A coefficient of 0 is multiplied and stays 0. Set objective.kl.coefficient above 0, or adaptive to null.',
      )
    : null;
}

function criticClash({ objective, critic }: TrainSettings): Clash | null {
  return critic && objective.factuality !== undefined
    ? clash(
        'objective.factuality',
        'Verdicts turn the advantages of groups, not those of a critic. Leave factuality out, or set critic to null.',
      )
    : null;
}

function curriculumClash({ curriculum, steps }: TrainSettings): Clash | null {
  const { kind, hops, probeSteps = 0, ids = [], simulator, added } = curriculum;
  if (added !== undefined && kind !== 'weakness')
    return clash(
      'curriculum.added',
      'No questions are added here. Set curriculum.kind to weakness, or leave added out.',
    );
  if (simulator !== undefined && kind !== 'simulated')
    return clash(
      'curriculum.simulator',
      'Nothing is simulated here. Set curriculum.kind to simulated, or leave simulator out.',
    );
  if (hops && hops.min > hops.max)
    return clash(
      'curriculum.hops',
      `No question has ${hops.min} to ${hops.max} hops. Set min to max or less.`,
    );
  const probes = kind === 'weakness' || (kind === 'one-shot' && ids.length === 0);
  return probes && probeSteps >= steps
    ? clash(
        'curriculum.probeSteps',
        `All ${steps} steps would tell questions apart, and none be trained on what was chosen. Set probeSteps below steps.`,
      )
    : null;
}

/** What has no part in mixtures: it scores or teaches tokens alone. */
function gatesClash({ adapter, critic, branching, stages }: TrainSettings): Clash | null {
  const { gates } = adapter;
  if (!gates) return null;
  if (gates.rMin > gates.rMax)
    return clash('adapter.gates', 'Gates start from rMin to rMax. Set rMin to rMax or less.');
  if (critic)
    return clash('critic', 'A critic values tokens, and these are mixtures. Set critic to null.');
  if (branching)
    return clash(
      'branching',
      'Rollouts that branch copy tokens, and these are mixtures. Leave branching out.',
    );
  const supervised = stages.findIndex(({ loss }) => loss !== undefined);
  return supervised < 0
    ? null
    : clash(
        `stages.${supervised}.loss`,
        'Supervision is on tokens, so that gates would learn nothing of it. Leave the loss out, or set adapter.gates to null.',
      );
}

/** Pairs by reward: of two rollouts that earned the same, neither is the better one. */
function pairsClash({ stages }: TrainSettings): Clash | null {
  for (const [at, { loss }] of stages.entries()) {
    if (loss?.kind !== 'dpo' || (loss.pairs ?? 'reward') !== 'reward' || loss.low < loss.high)
      continue;
    return clash(
      `stages.${at}.loss.low`,
      `What earned ${loss.low} would be worse than what earned ${loss.high}. Set low below high.`,
    );
  }
  return null;
}

/** Of the file that a run may be given, either a warm-up or its stages take what is in it. */
function storedClash({ stages, warmUp }: TrainSettings): Clash | null {
  return stages.some(({ loss }) => isStored(loss)) && warmUp && warmUp.from !== 'own'
    ? clash(
        'warmUp',
        'A run takes one file of trajectories, and a stage learns from it. Set warmUp to null or warmUp.from to own, or leave the stored stage out.',
      )
    : null;
}

/** The first switch at fault; null where there is none. */
export const switchClash = (settings: TrainSettings): Clash | null =>
  samplingClash(settings) ??
  aheadClash(settings) ??
  screenClash(settings) ??
  objectiveClash(settings) ??
  klClash(settings) ??
  criticClash(settings) ??
  gatesClash(settings) ??
  curriculumClash(settings) ??
  storedClash(settings) ??
  pairsClash(settings);
