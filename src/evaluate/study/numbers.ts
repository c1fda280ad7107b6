/** The numbers that a study compares, and how each is written. */

export const NUMBERS = [
  { id: 'em', title: 'EM', unit: 'percent' },
  { id: 'f1', title: 'F1', unit: 'percent' },
  { id: 'recall', title: 'recall', unit: 'percent' },
  { id: 'format', title: 'format', unit: 'percent' },
  { id: 'searches', title: 'searches', unit: 'count' },
  { id: 'webCalls', title: 'web calls', unit: 'count' },
  { id: 'tokens', title: 'tokens', unit: 'count' },
  { id: 'reward', title: 'reward', unit: 'share' },
  { id: 'latencyMs', title: 'latency, ms', unit: 'count' },
  { id: 'routerReward', title: 'router reward', unit: 'share' },
] as const;

export type StudyNumber = (typeof NUMBERS)[number]['id'];
export type NumberUnit = (typeof NUMBERS)[number]['unit'];

export const NUMBER_IDS: readonly StudyNumber[] = NUMBERS.map(({ id }) => id);

/** Numbers of questions that are asked one at a time, since many at once wait for each other. */
export const TIMED: readonly StudyNumber[] = ['latencyMs', 'routerReward'];

/** @throws Error for an id that is none */
export function numberOf(id: StudyNumber): (typeof NUMBERS)[number] {
  const found = NUMBERS.find((number) => number.id === id);
  if (!found) throw new Error(`there is no number "${id}"`);
  return found;
}

const DIGITS: Record<NumberUnit, number> = { percent: 1, count: 2, share: 3 };

/** A value as tables show it: shares of answers in percent. */
export const shown = (value: number, unit: NumberUnit): string => {
  const text = (unit === 'percent' ? 100 * value : value).toFixed(DIGITS[unit]);
  // No minus in front of what rounds to nothing.
  return Number(text) === 0 ? text.replace('-', '') : text;
};

/** A difference, with its sign. */
export const shownDifference = (value: number, unit: NumberUnit): string => {
  const text = shown(value, unit);
  return Number(text) > 0 ? `+${text}` : text;
};
