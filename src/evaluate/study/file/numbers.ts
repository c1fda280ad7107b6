import type { NumberUnit } from '../measures/units.ts';
import { GROUP_MEASURE_IDS, GROUP_MEASURES } from '../measures/groups.ts';
import { MEASURE_IDS, MEASURES, type MeasureId } from '../measures/list.ts';
import { WAVE } from '../measures/wave.ts';

/** The numbers that a study compares, and how each is written. */

interface NumberWords {
  title: string;
  unit: NumberUnit;
  /** Whether each rollout has 0 or 1. */
  binary?: true;
}

const NUMBERS = [
  { id: 'em', title: 'EM', unit: 'percent', binary: true },
  { id: 'f1', title: 'F1', unit: 'percent' },
  { id: 'recall', title: 'recall', unit: 'percent' },
  { id: 'format', title: 'format', unit: 'percent', binary: true },
  { id: 'searches', title: 'searches', unit: 'count' },
  { id: 'webCalls', title: 'web calls', unit: 'count' },
  { id: 'tokens', title: 'tokens', unit: 'count' },
  { id: 'reward', title: 'reward', unit: 'share' },
  { id: 'latencyMs', title: 'latency, ms', unit: 'count' },
  { id: 'routerReward', title: 'router reward', unit: 'share' },
] as const satisfies readonly (NumberWords & { id: string })[];

type StudyNumber = (typeof NUMBERS)[number]['id'];
/** What tables show and signatures are about: a number that every rollout has, or a measure that single systems are about. */
export type SignatureNumber = StudyNumber | MeasureId;

const NUMBER_IDS: readonly StudyNumber[] = NUMBERS.map(({ id }) => id);

export const SIGNATURE_NUMBERS: readonly SignatureNumber[] = [...NUMBER_IDS, ...MEASURE_IDS];

/** Title and unit of either. @throws Error for an id that is none */
export function signatureNumber(id: SignatureNumber): NumberWords {
  const found = [...NUMBERS, ...MEASURES, WAVE, ...GROUP_MEASURES].find(
    (number) => number.id === id,
  );
  if (!found) throw new Error(`there is no number "${id}"`);
  return found;
}

/** Whether only several rollouts of a question have it. */
export const needsGroup = (id: SignatureNumber): boolean =>
  GROUP_MEASURE_IDS.some((measure) => measure === id);

/** Numbers of questions that are asked one at a time, since many at once wait for each other. */
export const TIMED: readonly SignatureNumber[] = ['latencyMs', 'routerReward'];
