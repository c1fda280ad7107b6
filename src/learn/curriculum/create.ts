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

/** The curriculum that the settings ask for. @throws Error without questions */
export function createCurriculum(
  settings: TrainSettings,
  { questions, retriever }: CurriculumParts,
): Curriculum {
  const seed = curriculumSeed(settings);
  return settings.curriculum.system
    ? providedCurriculum({ settings, questions, retriever, seed })
    : new UniformCurriculum(questions, seed);
}
