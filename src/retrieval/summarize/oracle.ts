import type { Passage } from '../../records/records.ts';
import { Extractive } from './extractive.ts';
import { NOTHING_RELEVANT, type Draft, type Method, type SummaryGold } from './summarizer.ts';

/** Lower case, and one space on either side of each word. */
const spaced = (text: string): string =>
  ` ${
    text
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.join(' ') ?? ''
  } `;

/** What a passage is read for: the objects of its chain steps; without a chain the answers, where its title supports. */
function wantedOf({ id, title }: Passage, gold: SummaryGold): readonly string[] {
  const { answers, chain = [], supporting } = gold;
  if (chain.length === 0) return supporting.includes(title) ? answers : [];
  return chain
    .filter(({ passageId, passageIds = [] }) => passageId === id || passageIds.includes(id))
    .map(({ object }) => object);
}

/**
 * The gold sentences among passages: of each gold passage those that state what it is read for, and its first sentence where
 * none does, as for a list. Noise has none.
 * @returns in the order of the passages
 */
export const goldSentences = (
  passages: readonly Passage[],
  gold: SummaryGold,
): { title: string; text: string }[] =>
  passages.flatMap((passage) => {
    const { noise, sentences, title } = passage;
    const wanted = noise === undefined ? wantedOf(passage, gold) : [];
    if (wanted.length === 0) return [];
    const stating = sentences.filter((sentence) =>
      wanted.some((object) => spaced(sentence).includes(spaced(object))),
    );
    return (stating.length > 0 ? stating : sentences.slice(0, 1)).map((text) => ({ title, text }));
  });

const extractive = new Extractive();

/**
 * The extractive summary, with the gold sentences that were retrieved and that it drops before it: the bound of what a
 * better choice of sentences gives (UR², arXiv 2508.06165, section 3.1.1). Gold sentences only would be no bound, since a
 * query that strays would read nothing.
 */
export const oracle: Method = {
  id: 'oracle/1',
  readsGold: true,
  async draft(request): Promise<Draft> {
    if (!request.gold) throw new Error('the oracle summarizer needs the gold chain');
    const draft = await extractive.draft(request);
    if (draft.fallback) return draft;
    const dropped = goldSentences(request.passages, request.gold)
      .filter(({ text }) => !draft.text.includes(text))
      .map(({ title, text }) => `${title} : ${text}`);
    const kept = draft.text === NOTHING_RELEVANT && dropped.length > 0 ? [] : [draft.text];
    return { ...draft, text: [...new Set(dropped), ...kept].join('\n') };
  },
};
