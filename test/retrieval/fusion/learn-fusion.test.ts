import { describe, expect, it } from 'vitest';
import type { Passage } from '../../../src/records/records.ts';
import { ExactIndex, type VectorTable } from '../../../src/retrieval/dense/dense.ts';
import { fuse } from '../../../src/retrieval/fusion.ts';
import { learnFusion } from '../../../src/retrieval/learn-fusion.ts';
import { LexicalIndex } from '../../../src/retrieval/lexical/lexical.ts';
import { openLocalSource } from '../../../src/retrieval/open-local.ts';
import type { QueryEncoder, Source } from '../../../src/retrieval/sources.ts';
import type { CacheableEncoder } from '../../../src/retrieval/vector-cache.ts';
import { passage } from '../passages.ts';

const TOPICS = 40;
const EACH = 5;

/** Words of one topic that mean the same and share no letters: what an encoder knows and a word index does not. */
const word = (topic: number, synonym: number): string => `${'abcdefgh'[synonym]}${topic}x`;
const topicOf = (one: string): number => Number(/^[a-h](\d+)x$/.exec(one)?.[1] ?? NaN);

/** Five passages a topic; `synonym` is the word for it in the first or second sentence of the nth. */
const made = (synonym: (nth: number, sentence: number) => number): Passage[] =>
  Array.from({ length: TOPICS * EACH }, (_, i) => {
    const [topic, nth] = [i % TOPICS, Math.floor(i / TOPICS)];
    return passage(
      `p${i}`,
      `page ${i}`,
      `it is of the ${word(topic, synonym(nth, 0))} and number${i} is in it.`,
      `they say that the ${word(topic, synonym(nth, 1))} was there.`,
    );
  });

/** Each sentence has another word for its topic; all share the words between. */
const reworded = made((nth, sentence) => 3 * sentence + (nth % 3));
/** One word for the topic throughout. */
const plain = made(() => 0);

/** Knows topics, and one passage of a topic from another by next to nothing; or knows nothing at all. */
class TopicEncoder implements QueryEncoder, CacheableEncoder {
  readonly id: string;
  readonly dimensions = TOPICS + 1;
  readonly #knows: boolean;

  constructor(knows: boolean) {
    this.#knows = knows;
    this.id = knows ? 'topics' : 'nothing';
  }

  async encodeQuery(text: string): Promise<Float32Array> {
    const vector = new Float32Array(this.dimensions);
    const topic = (text.match(/[a-h]\d+x/g) ?? []).map(topicOf)[0] ?? 0;
    // Something that has nothing to do with the topic, but differs from text to text.
    const noise = Array.from(text).reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) % 997, 7);
    vector[this.#knows ? topic : noise % TOPICS] = 1;
    vector[TOPICS] = 0.05 * (noise / 997);
    const length = Math.hypot(...vector);
    return vector.map((value) => value / length);
  }

  async encodePassages(passages: readonly Passage[]): Promise<VectorTable> {
    const rows = await Promise.all(passages.map(({ text }) => this.encodeQuery(text)));
    return {
      dimensions: this.dimensions,
      values: Float32Array.from(rows.flatMap((row) => [...row])),
    };
  }
}

/** Share of the topic's passages that are among the first five, mean over questions. */
async function recall(source: Source, question: (topic: number) => string): Promise<number> {
  let found = 0;
  for (let topic = 0; topic < TOPICS; topic++) {
    const { hits } = await source.search(question(topic), EACH);
    found += hits.filter(({ passage: { id } }) => Number(id.slice(1)) % TOPICS === topic).length;
  }
  return found / (TOPICS * EACH);
}

const open = async (
  corpus: readonly Passage[],
  method: 'lexical' | 'flat' | 'hybrid',
  knows: boolean,
): Promise<Source> =>
  (await openLocalSource(corpus, { method }, { encoder: new TopicEncoder(knows) })).source;

describe('a hybrid', () => {
  it.each([
    // A word that no passage has: only an encoder that knows what it means finds any.
    ['that knows the corpus', true, reworded, 7],
    // A word that the passages have.
    ['that does not', false, plain, 0],
  ] as const)(
    'with an encoder %s is no worse than the better of its parts',
    async (_, knows, corpus, synonym) => {
      const question = (topic: number) => `what is there in the ${word(topic, synonym)}?`;
      const [lexical, dense, hybrid] = await Promise.all(
        (['lexical', 'flat', 'hybrid'] as const).map(async (method) =>
          recall(await open(corpus, method, knows), question),
        ),
      );
      expect(Math.abs((lexical ?? 0) - (dense ?? 0))).toBeGreaterThan(0.5);
      expect(hybrid).toBeGreaterThanOrEqual(Math.max(lexical ?? 0, dense ?? 0));
    },
  );
});

describe('learned weights', () => {
  const learn = async (passages: readonly Passage[], knows: boolean) => {
    const encoder = new TopicEncoder(knows);
    const index = new ExactIndex(await encoder.encodePassages(passages));
    return learnFusion(passages, new LexicalIndex(passages), { index, encoder });
  };

  it('find on the sentences of the corpus at least what each list alone finds', async () => {
    for (const knows of [true, false]) {
      const corpus = knows ? reworded : plain;
      const { weights, questions, lexical, dense, fused } = await learn(corpus, knows);
      expect(questions).toBe(128);
      expect(fused).toBeGreaterThanOrEqual(Math.max(lexical, dense));
      expect(weights.dense > weights.lexical).toBe(knows);
    }
  });

  it('do not let a passage be found by the words that the question was cut from', async () => {
    // No two sentences share a word, titles say nothing: without its sentence nothing leads to a passage.
    const apart = Array.from({ length: 30 }, (_, i) =>
      passage(`p${i}`, '', `one${i} two${i} three${i}.`, `four${i} five${i} six${i}.`),
    );
    expect(await learn(apart, false)).toMatchObject({
      lexical: 0,
      questions: 30,
      weights: { lexical: 1, dense: 1 },
    });
  });

  it('cut words from the middle where a passage has one sentence, and count lists the same where there is nothing', async () => {
    const single = Array.from({ length: 20 }, (_, i) =>
      passage(`p${i}`, '', `name${i} was here and there and name${i} was everywhere name${i}`),
    );
    // Of ten words five are cut, one "name" among them; two are left to be found by.
    expect(await learn(single, false)).toMatchObject({ questions: 20, lexical: 1 });
    expect(await learn([passage('a', 'Title', '')], true)).toMatchObject({
      questions: 0,
      weights: { lexical: 1, dense: 1 },
    });
  });

  it('are the same every time', async () => {
    expect(await learn(reworded, true)).toEqual(await learn(reworded, true));
  });
});

it('a list of weight 0 only comes after the other one', () => {
  const order = (weight: number) =>
    fuse(
      [
        ['a', 'b', 'c'],
        ['c', 'x'],
      ],
      60,
      [1, weight],
    ).map(({ key }) => key);
  expect(order(0)).toEqual(['a', 'b', 'c', 'x']);
  expect(order(1)[0]).toBe('c');
});
