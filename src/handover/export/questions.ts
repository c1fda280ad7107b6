import { curriculumSeed } from '../../learn/curriculum/create.ts';
import { heldOutSample } from '../../learn/rl/held-out.ts';
import { UniformCurriculum } from '../../learn/rl/uniform.ts';
import type { Question } from '../../records/records.ts';
import { rowCount } from './mapping/common.ts';
import type { Experiment } from './experiment.ts';

/** A line of `questions.jsonl`. */
export type QuestionLine = Question & {
  readonly split: 'train' | 'dev';
  /**
   * Rows of the training set, from 0, that ask it, where the settings alone decide that: row n is the
   * curriculum's n-th draw from here on. Absent where the environment draws.
   */
  readonly draws?: readonly number[];
};

/** Row by row the question that a uniform curriculum draws; null where draws depend on more. */
export async function drawnQuestions({
  settings,
  questions,
  run,
}: Experiment): Promise<Question[] | null> {
  if (settings.curriculum.kind !== 'uniform') return null;
  const train = questions.filter(({ split }) => split === 'train');
  const curriculum = new UniformCurriculum(train, curriculumSeed(settings));
  if (run && run.curriculum !== null) curriculum.restore(run.curriculum);
  const count = rowCount(settings, run?.step ?? 0);
  return (await curriculum.draw({ count })).map(({ question }) => question);
}

/**
 * The questions of an experiment: all that may be drawn, in their order, then the held-out sample.
 * @throws Error without training questions
 */
export async function questionLines(experiment: Experiment): Promise<QuestionLine[]> {
  const { settings, questions } = experiment;
  const drawn = await drawnQuestions(experiment);
  const rows = new Map<string, number[]>();
  drawn?.forEach(({ id }, row) => {
    const own = rows.get(id);
    if (own) own.push(row);
    else rows.set(id, [row]);
  });
  const train = questions.filter(({ split }) => split === 'train');
  const dev = questions.filter(({ split }) => split === 'dev');
  return [
    ...train.map((question) => ({
      ...question,
      split: 'train' as const,
      ...(drawn && { draws: rows.get(question.id) ?? [] }),
    })),
    ...heldOutSample(dev, settings.heldOut.questions).map((question) => ({
      ...question,
      split: 'dev' as const,
    })),
  ];
}
