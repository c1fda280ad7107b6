import type { ChainStep, Question } from '../records/records.ts';
import { itemAt } from '../base/items.ts';
import type { GoldText, Rollout } from '../records/rollout.ts';
import type { Retriever } from '../retrieval/retriever.ts';

/** How far down the list of its title a gold passage is looked for. */
const DEPTH = 20;

const idsOf = ({ passageId, passageIds }: ChainStep): readonly string[] =>
  passageIds ?? [passageId];

/**
 * The gold paragraphs of a question, for rewards that read them: of each step of its chain a passage that states it, found by
 * its title. One that is not found is left out. It knows the chain, so it is only for training.
 * @throws what a search throws
 */
async function goldTextsOf(
  retriever: Retriever,
  { chain = [] }: Pick<Question, 'chain'>,
  signal?: AbortSignal,
): Promise<GoldText[]> {
  const found = await Promise.all(
    chain.map(async (step) => {
      const { hits } = await retriever.search('both', step.title, DEPTH, signal);
      const gold = hits.find(({ passage }) => idsOf(step).includes(passage.id));
      return gold ? [gold.passage] : [];
    }),
  );
  const passages = new Map(found.flat().map((passage) => [passage.id, passage]));
  return [...passages.values()].map(({ title, text }) => ({ title, text }));
}

/** Writes the gold paragraphs of each question into the records of its rollouts. */
export async function lookUpGold(
  retriever: Retriever,
  questions: readonly Pick<Question, 'chain'>[],
  groups: readonly (readonly Rollout[])[],
  signal?: AbortSignal,
): Promise<void> {
  const texts = await Promise.all(questions.map((one) => goldTextsOf(retriever, one, signal)));
  groups.forEach((group, i) => {
    for (const rollout of group) rollout.goldTexts = itemAt(texts, i, 'gold paragraphs');
  });
}
