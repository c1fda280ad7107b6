import type { EvaluationSpec, QuestionsSource } from '../../../evaluate/systems/spec.ts';
import { RECIPES } from '../../../systems/index.ts';
import { formatDayTime, plural } from '../../kit/words/format.ts';
import type { SystemChoice } from '../../../evaluate/systems/spec.ts';

/** The title, or the id of an unknown recipe. */
const titleOf = (choice: SystemChoice): string =>
  typeof choice === 'string'
    ? (RECIPES.find(({ id }) => id === choice)?.title ?? choice)
    : choice.title;

/** Longest title in letters. */
const LONGEST = 32;

/** "Naive RAG" of "Naive RAG, one retrieval". */
const short = (title: string): string => {
  const [first = title] = title.split(/[,:(]/);
  const head = first.trim();
  return head.length > LONGEST ? `${head.slice(0, LONGEST - 1).trimEnd()}…` : head;
};

/** The source of a question set, in few words. */
const worldOf = (source: QuestionsSource): string => {
  switch (source.kind) {
    case 'built-in':
      return 'built-in world';
    case 'fresh':
      return `world of seed ${source.seed}`;
    case 'collections':
      return 'imported questions';
    case 'files':
      return 'questions from files';
  }
};

/** Further kinds of questions are counted. */
const worldsOf = ({ questions }: EvaluationSpec): string => {
  const [first = '', ...more] = new Set(questions.map(worldOf));
  return more.length === 0 ? first : `${first} +${more.length}`;
};

/**
 * The default name of an evaluation: systems, world, time. A taken name gets a number.
 * @param at when it begins, ISO
 * @param taken names of others
 */
export const nameOfSpec = (
  spec: EvaluationSpec,
  at: string,
  taken: readonly string[] = [],
): string => {
  const { systems, policies } = spec;
  const compared =
    systems.length > 2
      ? plural(systems.length, 'system')
      : systems.map((one) => short(titleOf(one))).join(', ');
  const beside = policies.length > 1 ? `, ${plural(policies.length, 'policy', 'policies')}` : '';
  const name = `${compared}${beside} · ${worldsOf(spec)} · ${formatDayTime(at)}`;
  let number = 1;
  while (taken.includes(number === 1 ? name : `${name} (${number})`)) number += 1;
  return number === 1 ? name : `${name} (${number})`;
};
