import type { WorldQuestion } from '../../retrieval/world/manifest.ts';
import { allows, type CompositionFilter } from '../../world/questions/compositions.ts';
import { UsageError, type OptionValues } from './options.ts';

/** Questions from files name no composition: they are neither held out nor seen. */
const hasComposition = (
  { composition }: WorldQuestion,
  wanted: CompositionFilter = 'any',
): boolean => wanted === 'any' || (composition !== undefined && allows(wanted, composition));

/**
 * The questions that a call asks for; the order is the world's own, or the file's.
 * @param split of a world's questions where none is named
 * @throws UsageError where none is left
 */
export function selectQuestions(
  questions: readonly WorldQuestion[],
  values: OptionValues,
  ofWorld: 'train' | 'test',
): WorldQuestion[] {
  const split = values.split ?? (values.questions === undefined ? ofWorld : 'all');
  const found = questions
    .filter((q) => split === 'all' || q.split === split)
    .filter((q) => values.hops === undefined || q.hops === values.hops)
    .filter((q) => values.type === undefined || q.type === values.type)
    .filter((q) => hasComposition(q, values.compositions as CompositionFilter | undefined));
  if (found.length === 0)
    throw new UsageError(
      values.compositions !== undefined && questions.every((q) => !q.composition)
        ? 'These questions have no composition; --compositions works only with questions of a world.'
        : values.split === undefined &&
            split === 'test' &&
            !questions.some((q) => q.split === 'test')
          ? 'No question is in the test split; choose others with --split dev, train or all.'
          : 'No question matches these options; change --split, --hops, --type or --compositions.',
    );
  return values.limit === undefined ? found : found.slice(0, Number(values.limit));
}
