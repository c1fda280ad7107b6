import { comparison, deepComparison, intersection, yesNo } from './question-pairs.ts';
import { bridge, summary } from './question-paths.ts';
import type { Draft, Hops, QuestionScope } from './question-scope.ts';
import type { KeyedRandom } from '../../base/random.ts';

export type Form = 'bridge' | 'comparison' | 'deep' | 'intersection' | 'yesno' | 'summary';

/** Shares of the forms among questions of each number of hops. */
const FORMS: Readonly<Record<Hops, Partial<Record<Form, number>>>> = {
  1: { bridge: 0.92, summary: 0.08 },
  2: { bridge: 0.48, comparison: 0.2, intersection: 0.13, yesno: 0.13, summary: 0.06 },
  3: { bridge: 0.8, intersection: 0.2 },
  4: { bridge: 0.65, deep: 0.35 },
};

const DRAW: Readonly<
  Record<Form, (rng: KeyedRandom, scope: QuestionScope, hops: Hops) => Draft | undefined>
> = {
  bridge,
  summary,
  comparison,
  deep: deepComparison,
  yesno: yesNo,
  intersection,
};

export const drawForm = (rng: KeyedRandom, hops: Hops): Form => rng.weighted(FORMS[hops]);

/** Draws one question of a form; undefined where the draw led nowhere (try again). */
export const drawQuestion = (
  rng: KeyedRandom,
  scope: QuestionScope,
  form: Form,
  hops: Hops,
): Draft | undefined => DRAW[form](rng, scope, hops);
