import type { ImportedRollout } from '../../../../src/formats/rollouts/shape/imported.ts';
import { importOne } from '../helpers.ts';

/** What a record says, as a reader of the inspector sees it. */
export const told = async (record: object) => {
  const { question, step, reward, advantage, rewards, answer, judge, origin }: ImportedRollout =
    await importOne(record);
  return {
    layout: origin?.layout,
    asked: question.text,
    golds: question.answers,
    step,
    reward,
    advantage,
    clauses: rewards.map(({ clause, value, weight }) => [clause, value, weight]),
    answer,
    judge,
  };
};
export const blocks = async (record: object): Promise<string[]> =>
  (await importOne(record)).segments.map(({ role, source, text }) => `${role}/${source}: ${text}`);
