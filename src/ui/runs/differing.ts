import { isObject } from '../../base/objects.ts';
import { MOST_CHANGES, rateChanges } from '../../evaluate/rate-changes.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import type { TrainStep } from '../../records/training.ts';

/** Which settings differ between runs, at any depth; and what changed during training. */

export interface DifferingSetting {
  /** `objective.clip.high`; `objective.clip` if one run has none. */
  path: string;
  /** One value per run as text; undefined if the run lacks the setting. */
  values: (string | undefined)[];
}

/** Lists of numbers or strings are one value; lists of objects (stages) are compared element by element. */
const branchesOf = (value: unknown): [string, unknown][] | null => {
  if (isObject(value)) return Object.entries(value);
  if (Array.isArray(value) && value.some((item) => typeof item === 'object'))
    return value.map((item, index): [string, unknown] => [String(index + 1), item]);
  return null;
};

/** A setting as text: `off` for null, lists and small objects on one line. */
const shown = (value: unknown): string => {
  if (value === null) return 'off';
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(shown).join(', ');
  if (isObject(value)) {
    const parts = Object.entries(value).map(([key, inner]) => `${key} ${shown(inner)}`);
    return parts.length === 0 ? 'none' : parts.join(', ');
  }
  return JSON.stringify(value) ?? 'none';
};

/** Recurses while every run with the setting has an object there; otherwise compares as text. */
const walk = (path: string, values: readonly unknown[], out: DifferingSetting[]): void => {
  const present = values.filter((value) => value !== undefined);
  const branches = values.map(branchesOf);
  const deep =
    present.length > 0 && values.every((v, i) => v === undefined || branches[i] !== null);
  if (deep) {
    const keys = new Set(branches.flatMap((entries) => (entries ?? []).map(([key]) => key)));
    for (const key of keys) {
      const inner = branches.map((entries) => entries?.find(([name]) => name === key)?.[1]);
      walk(path === '' ? key : `${path}.${key}`, inner, out);
    }
    return;
  }
  const texts = values.map((value) => (value === undefined ? undefined : shown(value)));
  if (new Set(texts).size > 1) out.push({ path, values: texts });
};

/** The settings that differ, in the order of the first run that has them. Empty for fewer than two runs. */
export const differingSettings = (settings: readonly object[]): DifferingSetting[] => {
  const out: DifferingSetting[] = [];
  if (settings.length > 1) walk('', settings, out);
  return out;
};

/** `0.001 → 0.02 at step 3`; null if the rate followed the settings. */
export const rateChangeText = (
  settings: TrainSettings,
  steps: readonly TrainStep[],
): string | null => {
  const changes = rateChanges(settings, steps);
  const [first, last] = [changes[0], changes.at(-1)];
  if (!first || !last) return null;
  if (changes.length > MOST_CHANGES)
    return `off schedule at ${changes.length} steps, from step ${first.step} to ${last.step}`;
  return [String(first.from), ...changes.map(({ step, to }) => `${to} at step ${step}`)].join(
    ' → ',
  );
};

/** The row of different learning-rate changes during training; null if there is none. */
export const differingRates = (
  runs: readonly { settings: TrainSettings; steps: readonly TrainStep[] }[],
): DifferingSetting | null => {
  const changes = runs.map(({ settings, steps }) => rateChangeText(settings, steps));
  if (new Set(changes).size < 2) return null;
  return {
    path: 'learning rate, changed during training',
    values: changes.map(
      (change, i) => change ?? `${runs[i]?.settings.optimizer.learningRate}, not changed`,
    ),
  };
};
