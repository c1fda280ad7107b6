import { FORM_BLOCKS, type FormBlock } from '../../records/form-line.ts';
import type { RecipeSettings } from '../../recipes/parts/settings.ts';
import { traitsOf } from '../../recipes/parts/system.ts';
import { dialectOf } from '../../recipes/parts/dialect.ts';

/**
 * What a policy that was not trained on the protocol is notified of it: the tags, a thought first, one
 * query per search, the answer in a box, the limits. Made of the settings in force, whatever the recipe.
 */

const ANSWER = [
  'The answer is as short as possible: a name, a date, a number, the letter of an option, yes or no. Write it in this form:',
  '<short_answer> \\boxed{the answer} </short_answer>',
];

/** Of questions that ask for more than a name or a number. */
const LONG_ANSWER = [
  'Where the question asks for a description or a summary, write three to six sentences, each a fact that the passages state, and the short answer in the box behind them:',
  '<long_answer> the sentences \\boxed{the short answer} </long_answer>',
];

const BACKGROUND =
  'Passages found with the question itself may stand before it, between <background> and </background>. They may help or not; if they hold the answer, answer without a search.';

const SOURCES =
  'To choose where to search, write <local_search> … </local_search> for the local collection or ' +
  '<web_search> … </web_search> for the web in place of <search> … </search>.';

const most = (words: number | undefined): string =>
  words === undefined ? '' : `It has at most ${words} words. `;

const several = (queries: number | undefined): string =>
  queries === undefined
    ? ''
    : `A search may hold up to ${queries} such queries, with ; between them. `;

/** What each further block is for, where a recipe asks for it. */
const BLOCKS: Readonly<Record<FormBlock, string>> = {
  plan: 'Before the first search, write the steps that you plan: <plan> step ; step </plan>',
  judge: 'Behind each result, say whether it helps: <judge> yes </judge> or <judge> no </judge>',
  relevance:
    'Behind each result, name the passages that help by their places in it: <relevance> 1 , 3 </relevance>, or none',
  important:
    'Behind each result, name the passages to keep by their places in it: <important> 1 , 3 </important>, or none',
  refine:
    'Behind each result, write what of it is useful for the question: <refine> the facts </refine>',
  memory:
    'Behind each result, write anew all facts found so far that matter: <memory> fact . fact </memory>',
  summary:
    'Behind each result, write what the step found, as an answer of its own: <summary> the finding </summary>',
  evidence:
    'Before the answer, copy the passages that it rests on in their words: <evidence> the sentences </evidence>',
  compute:
    'For arithmetic or a comparison, write one line of it and stop: <compute> 1931 - 1874 </compute>; its value comes back between <result> and </result>',
  ask: 'Where the question leaves open who or what is meant, ask and stop: <ask> your question </ask>; the reply comes back between <reply> and </reply>',
};

const count = (n: number): string => (n === 1 ? '1 search' : `${n} searches`);

/** Where the question is to be answered without any search. */
const withoutSearch = ({ budgets }: RecipeSettings): string[] => [
  'You answer a question by thinking, from what you know; you cannot search. Write nothing but these blocks, each closed before the next begins:',
  '<think> what is known, and why the answer follows </think>',
  ...ANSWER.slice(1),
  '',
  `Always think first, then answer. You may write up to ${budgets.tokens} tokens in all. The answer in the box is as short as possible: a name, a date, a number, the letter of an option, yes or no. The text between <hint> and </hint> is a remark on what you did.`,
];

function steps(settings: RecipeSettings): string[] {
  const { retrieval, budgets, background, blocks } = settings;
  if (retrieval.maxSearches === 0) return withoutSearch(settings);
  return [
    'You answer a question by searching a collection of passages, one step at a time. Write nothing but these blocks, each closed before the next begins:',
    '<think> what is known, what is missing, what to do next </think>',
    '<search> one search query </search>',
    '',
    'Always think first, then either search or answer. A search holds one short query that asks for one fact and names who or what it is about. ' +
      most(retrieval.queryWords) +
      several(traitsOf(settings).queries) +
      'Stop writing after </search>: what was found comes back between <result> and </result>. Never write a <result> yourself. Then think again. The text between <hint> and </hint> is a remark on what you did.',
    ...(background.mode === 'off' ? [] : [BACKGROUND]),
    ...(retrieval.honourTags && retrieval.source === 'router' ? [SOURCES] : []),
    ...FORM_BLOCKS.filter((block) => blocks.includes(block)).map((block) => `${BLOCKS[block]}.`),
    `You may make up to ${count(retrieval.maxSearches)} and write up to ${budgets.tokens} tokens in all. As soon as the passages say enough, answer:`,
    '<think> why this is the answer </think>',
    ...ANSWER.slice(1),
    ...LONG_ANSWER,
    'The answer in the box is as short as possible: a name, a date, a number, the letter of an option, yes or no. Rely on the passages, not on memory.',
  ];
}

const ONE_RESULT =
  'Passages found with the question come between <result> and </result>. Rely on them.';

/** InstructRAG's rationale. */
const RATIONALE = [
  'Answer the question in two blocks. Passages found with the question come between <result> and </result>; some may not help.',
  '<think> which passages help and which do not, and how the answer follows from those that do; where none helps, say so and use what you know </think>',
];

/** The instruction as text, with what a system adds to it. */
export function instructionText(settings: RecipeSettings): string {
  const { strategy = '' } = traitsOf(settings);
  return strategy === '' ? ofLoop(settings) : `${ofLoop(settings)}\n\n${strategy}`;
}

function ofLoop(settings: RecipeSettings): string {
  if (settings.dialect !== undefined) return dialectOf(settings.dialect).instruction(settings);
  if (settings.loop === 'agent') return steps(settings).join('\n');
  if (settings.loop === 'rationale') return [...RATIONALE, ...ANSWER].join('\n');
  const reads = settings.loop !== 'naive-generation' && settings.retrieval.maxSearches > 0;
  return ['Answer the question.', ...(reads ? [ONE_RESULT] : []), ...ANSWER].join('\n');
}
