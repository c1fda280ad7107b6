import { createRouter } from '../../agent/router/router.ts';
import { runRollout } from '../../agent/run.ts';
import { getRecipe } from '../../systems/index.ts';
import type { Passage } from '../../records/records.ts';
import type { Rollout } from '../../records/rollout.ts';
import { createRetriever } from '../../retrieval/create.ts';
import { LexicalIndex } from '../../retrieval/lexical/lexical.ts';
import { LocalSource } from '../../retrieval/local.ts';
import type { Retriever } from '../../retrieval/retriever.ts';
import type { GoldenCase } from './cases.ts';
import { scriptedPolicy } from './scripted.ts';
import { systemOf } from './systems.ts';

/** Golden cases through the loop, over the corpus and with the seed that their rollouts were made with. */

const SEED = 7;

const passage = (id: string, title: string, ...sentences: string[]): Passage => ({
  id,
  title,
  text: sentences.join(' '),
  sentences,
});

const LOCAL = [
  passage('l0', 'Old Wolf', 'Old Wolf was written by Victor Kerlund.', 'It came out in 1931.'),
  passage('l1', 'Victor Kerlund', 'Victor Kerlund was born in Borfield in 1901.'),
  passage('l2', 'Silent Harbor', 'Silent Harbor is a film by Maria Cordine.'),
];
const WEB = [
  passage('w0', 'Career of Victor Kerlund', 'Victor Kerlund works for Estdor Group.'),
  passage('w1', 'Estdor Group', 'Estdor Group was founded in 2008.'),
  passage('w2', 'Borfield', 'Borfield is a city in Mondria.'),
];

const sourceOf = (passages: Passage[]): LocalSource =>
  new LocalSource(passages, new LexicalIndex(passages), null);

function openRetriever(): Retriever {
  const web = sourceOf(WEB);
  return createRetriever({
    local: sourceOf(LOCAL),
    web: {
      name: 'web',
      search: async (query, k, signal) => {
        const found = await web.search(query, k, signal);
        return { ...found, hits: found.hits.map((hit) => ({ ...hit, source: 'web' as const })) };
      },
    },
  });
}

/** What R-Search's frozen model was made to answer from any evidence: two of three words, F1 2/3. */
const FROZEN = { from: 'evidence', answer: 'Borfield town', em: 0, f1: 2 / 3, holds: 1 } as const;

/** The record of a case, with what its reward reads beside it. */
export async function replay({
  id,
  system,
  golds,
  turns,
  search_keys: keys = [],
  support_docs: docs,
}: GoldenCase): Promise<Rollout> {
  const { recipe, overrides } = systemOf(system);
  const rollout = await runRollout(
    {
      policy: scriptedPolicy(turns),
      retriever: openRetriever(),
      router: createRouter(),
      now: Date.now,
    },
    {
      question: {
        id: 'golden',
        text: 'In which city was the author of Old Wolf born?',
        answers: golds,
        hops: 2,
        type: 'bridge',
        supporting: ['Old Wolf', 'Victor Kerlund'],
      },
      recipe: getRecipe(recipe),
      ...(overrides && { overrides }),
      seed: SEED,
      rolloutId: `${system}-${id}`,
      runId: 'golden',
      groupId: `${system}-${id}`,
      step: 0,
    },
  );
  const chain = keys.map(([query = '']) => ({
    subject: '',
    relation: '',
    object: '',
    title: '',
    source: 'local' as const,
    passageId: '',
    query,
  }));
  return {
    ...rollout,
    question: { ...rollout.question, ...(chain.length > 0 && { chain }) },
    ...(system === 'r-search' && { frozen: [FROZEN] }),
    ...(docs && { goldTexts: docs.map(({ title, paragraph_text: text }) => ({ title, text })) }),
  };
}
