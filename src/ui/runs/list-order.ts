import type { RunRecord } from '../../lab/contract/records/runs.ts';
import { figuresOf, type RunFigures } from './figures.ts';
import type { TrainStep } from '../../records/training.ts';

/** Filter and order of the runs list. */

/** Sort column and direction. */
export interface ListOrder {
  by: SortName;
  descending: boolean;
}

/** Null: not measured. */
type Key = string | number | null;

/** What a head sorts by. */
const KEYS = {
  name: ({ name }) => name.toLowerCase(),
  status: ({ status }) => status,
  recipe: ({ settings }) => settings.preset,
  steps: ({ step }) => step,
  'last EM': (_, { lastEm }) => lastEm,
  'held-out EM': (_, { heldOut }) => heldOut?.last ?? null,
  created: ({ createdAt }) => createdAt,
} as const satisfies Record<string, (run: RunRecord, figures: RunFigures) => Key>;

/** The text of a sortable head. */
export type SortName = keyof typeof KEYS;
/** In menu order. */
export const SORT_NAMES = Object.keys(KEYS);
/** Table and menu return strings. */
export const isSortName = (name: string): name is SortName => Object.hasOwn(KEYS, name);

/** Newest first. */
export const FIRST_ORDER: ListOrder = { by: 'created', descending: true };

/** Text ascending, numbers descending. */
export const firstOf = (by: SortName): ListOrder => ({
  by,
  descending: !['name', 'status', 'recipe'].includes(by),
});

/** The order after a click on a head: first its default, then reversed. */
export const pressed = (order: ListOrder, by: SortName): ListOrder =>
  order.by === by ? { by, descending: !order.descending } : firstOf(by);

const compare = (a: Key, b: Key): number => {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b));
};

/** Unmeasured runs are last in both directions. */
export const ordered = (
  runs: readonly RunRecord[],
  { by, descending }: ListOrder,
  steps: Readonly<Record<string, readonly TrainStep[]>>,
): RunRecord[] => {
  const keyed = runs.map((run) => ({ run, key: KEYS[by](run, figuresOf(steps[run.id] ?? [])) }));
  return keyed
    .toSorted((a, b) => {
      if (a.key === null || b.key === null) return Number(a.key === null) - Number(b.key === null);
      return descending ? compare(b.key, a.key) : compare(a.key, b.key);
    })
    .map(({ run }) => run);
};

/** Runs that contain every word in name, recipe, state, tags, notes or device. */
export const matching = (runs: readonly RunRecord[], text: string): RunRecord[] => {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return runs.filter(({ name, settings, status, tags, notes, device }) => {
    const all = [name, settings.preset, settings.recipe, status, device, notes, ...tags]
      .join(' ')
      .toLowerCase();
    return words.every((word) => all.includes(word));
  });
};
