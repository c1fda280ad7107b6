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
import type {
  Generated,
  GenerateOptions,
  Policy,
  PolicyInfo,
  PolicySession,
  PolicyTokenizer,
} from '../../policy/policy.ts';
import { StopTexts } from '../../policy/stop-texts.ts';
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

/** A policy that writes given turns, one character per token, so that any text can be replayed through the loop. */

const END_OF_TEXT = 0x11_00_00;

const tokenizer: PolicyTokenizer = {
  vocabSize: END_OF_TEXT + 1,
  endOfText: END_OF_TEXT,
  encodeText: (text) => Array.from(text, (character) => character.codePointAt(0) ?? 0),
  specialId: () => undefined,
  decode: (ids) => ids.map((id) => (id < END_OF_TEXT ? String.fromCodePoint(id) : '')).join(''),
};

class ScriptedSession implements PolicySession {
  length = 0;

  constructor(private readonly turns: string[]) {}

  append(ids: readonly number[]): void {
    this.length += ids.length;
  }

  /** Writes the next turn up to a stop; after the last turn the end of text. */
  generate(options: GenerateOptions): Promise<Generated> {
    const out: Generated = { ids: [], logprobs: [], entropies: [], finish: 'length' };
    const watch = new StopTexts(options, (ids) => tokenizer.decode(ids));
    const turn = options.maxTokens > 0 ? (this.turns.shift() ?? '') : '';
    for (const id of [...tokenizer.encodeText(turn), END_OF_TEXT].slice(0, options.maxTokens)) {
      this.length += 1;
      out.ids.push(id);
      out.logprobs.push(-1);
      out.entropies.push(0);
      options.onTokens?.({ ids: [id], logprobs: [-1], entropies: [0] });
      if (options.stopIds.includes(id) || watch.push(id))
        return Promise.resolve({ ...out, finish: 'stop' });
    }
    return Promise.resolve(out);
  }

  fork(): Promise<PolicySession> {
    const fork = new ScriptedSession([...this.turns]);
    fork.length = this.length;
    return Promise.resolve(fork);
  }

  close(): void {
    this.turns.length = 0;
  }
}

const INFO: PolicyInfo = {
  id: 'scripted',
  revision: '0',
  parameters: 0,
  maxContext: 8192,
  device: 'wasm',
  dtype: '',
};

const scriptedPolicy = (turns: readonly string[]): Policy => ({
  info: INFO,
  tokenizer,
  open: () => Promise.resolve(new ScriptedSession([...turns])),
  dispose: () => undefined,
});

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
