import type { Question } from '../../records/records.ts';
import { deriveSeed } from '../../base/random.ts';
import type { Retriever } from '../../retrieval/retriever.ts';
import type { Curriculum } from '../rl/contracts.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { UniformCurriculum } from '../rl/uniform.ts';
import { providedCurriculum } from './provided.ts';

export interface CurriculumParts {
  /** What may be drawn: the training split. */
  questions: readonly Question[];
  /** The run's own retriever, which noise is mixed into. */
  retriever: Retriever;
}

/** Seed of everything that the run's curriculum draws. */
export const curriculumSeed = ({ seed }: Pick<TrainSettings, 'seed'>): number =>
  deriveSeed(seed, 'curriculum');

/** SimpleRL-Zoo's strata (arXiv 2503.18892): questions of these numbers of hops only. @throws Error without any */
function ofHops(
  questions: readonly Question[],
  { hops }: TrainSettings['curriculum'],
): readonly Question[] {
  if (!hops) return questions;
  const own = questions.filter(({ hops: n = 1 }) => hops.min <= n && n <= hops.max);
  if (own.length > 0) return own;
  throw new Error(
    `curriculum: no question has ${hops.min} to ${hops.max} hops; choose another curriculum.hops`,
  );
}

/** The curriculum that the settings ask for. @throws Error without questions */
export function createCurriculum(
  settings: TrainSettings,
  { questions: all, retriever }: CurriculumParts,
): Curriculum {
  const questions = ofHops(all, settings.curriculum);
  const seed = curriculumSeed(settings);
  return settings.curriculum.system
    ? providedCurriculum({ settings, questions, retriever, seed })
    : new UniformCurriculum(questions, seed);
}
