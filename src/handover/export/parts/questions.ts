import { curriculumSeed } from '../../../learn/curriculum/create.ts';
import { heldOutSample } from '../../../learn/rl/held-out.ts';
import { UniformCurriculum } from '../../../learn/rl/uniform.ts';
import type { Question } from '../../../records/records.ts';
import type { ExperimentSource } from './experiment.ts';
import { firstDraw, rowCount } from '../mapping/common.ts';

/** A line of `questions.jsonl`. */
export type QuestionLine = Question & { readonly split: 'train' | 'dev' };

/** Row of the training set: one draw of the curriculum. */
export interface TrainRow {
  /** Number of the draw over the whole run, from 0; the environment knows the question by it. */
  readonly draw: number;
  /** The question, where the settings alone decide it; null where the environment draws. */
  readonly question: Question | null;
}

/** The questions that may be drawn, in their order, then the held-out sample in its own. */
export function questionLines({ settings, questions }: ExperimentSource): QuestionLine[] {
  const train = questions.filter(({ split }) => split === 'train');
  const dev = questions.filter(({ split }) => split === 'dev');
  return [
    ...train.map((question) => ({ ...question, split: 'train' as const })),
    ...heldOutSample(dev, settings.heldOut.questions).map((question) => ({
      ...question,
      split: 'dev' as const,
    })),
  ];
}

/**
 * The training set: the draws of all steps to come, in order.
 * @throws Error without training questions
 */
export async function trainRows({
  settings,
  questions,
  run,
}: ExperimentSource): Promise<TrainRow[]> {
  const from = firstDraw(settings, run?.step ?? 0);
  const count = rowCount(settings, run?.step ?? 0);
  const train = questions.filter(({ split }) => split === 'train');
  const curriculum = new UniformCurriculum(train, curriculumSeed(settings));
  const decided = !settings.curriculum.system;
  if (decided && run && run.curriculum !== null) curriculum.restore(run.curriculum);
  const drawn = await curriculum.draw({ step: 1, batch: 0, count });
  return drawn.map(({ question }, row) => ({
    draw: from + row,
    question: decided ? question : null,
  }));
}
