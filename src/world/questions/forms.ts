import type { KeyedRandom } from '../../base/random.ts';
import { age, arithmetic, computation, count, countBefore } from './numbers.ts';
import { claim, comparison, deepComparison, intersection, same } from './pairs.ts';
import { background, bridge, choice, summary, underspecified, unanswerable } from './paths.ts';
import type { Sampler } from './scope.ts';

interface Form {
  /** Its part of all questions; parts need not add up to 1. */
  share: number;
  draw: Sampler;
  /** Whether some of its compositions are held out from training. */
  heldOut: boolean;
}

const form = (share: number, draw: Sampler, heldOut = false): Form => ({ share, draw, heldOut });

/** The forms of question and how often each is drawn. */
export const FORMS = {
  'bridge-1': form(0.11, bridge(1)),
  'bridge-2': form(0.12, bridge(2), true),
  'bridge-3': form(0.09, bridge(3), true),
  'bridge-4': form(0.06, bridge(4), true),
  'bridge-5': form(0.04, bridge(5), true),
  background: form(0.05, background),
  comparison: form(0.06, comparison),
  'deep-comparison': form(0.04, deepComparison, true),
  'intersection-2': form(0.03, intersection(2)),
  'intersection-3': form(0.03, intersection(3), true),
  count: form(0.03, count),
  'count-before': form(0.03, countBefore),
  arithmetic: form(0.05, arithmetic),
  age: form(0.03, age, true),
  same: form(0.04, same),
  claim: form(0.04, claim),
  choice: form(0.05, choice),
  summary: form(0.04, summary),
  computation: form(0.03, computation),
  unanswerable: form(0.04, unanswerable),
  underspecified: form(0.03, underspecified),
} as const satisfies Readonly<Record<string, Form>>;

export type FormName = keyof typeof FORMS;
export const FORM_NAMES = Object.keys(FORMS) as FormName[];

const SHARES: Readonly<Partial<Record<FormName, number>>> = Object.fromEntries(
  FORM_NAMES.map((name) => [name, FORMS[name].share]),
);
export const drawForm = (rng: KeyedRandom): FormName => rng.weighted(SHARES);
