import { describe, expect, it } from 'vitest';
import type { Passage } from '../../../src/records/records.ts';
import { Extractive, lexicalScores } from '../../../src/retrieval/summarize/extractive.ts';
import { classifyQuery } from '../../../src/retrieval/summarize/classify.ts';
import { FALLBACK_SENTENCE } from '../../../src/retrieval/summarize/summarizer.ts';
import {
  type ModelMethod,
  openSummarizer,
  readSummary,
} from '../../../src/retrieval/summarize/index.ts';

type SummaryModel = ConstructorParameters<typeof ModelMethod>[0];

const passage = (title: string, ...sentences: string[]): Passage => ({
  id: title.toLowerCase(),
  title,
  text: sentences.join(' '),
  sentences,
});

const PASSAGES = [
  passage('Borfield', 'Borfield is a city.', 'It has a harbour.', 'Ships come and go.'),
  passage('Old Wolf', 'The cover is grey.', 'It was written by Victor Kerlund.', 'It sold well.'),
  passage('Wolf', 'The wolf is an animal.', 'Wolves live in packs.'),
];

/** A model that says what it is told, and remembers what it was asked. */
function scripted(...replies: (string | Error)[]) {
  const asked: string[] = [];
  const model: SummaryModel = {
    id: 'scripted',
    complete: async (messages) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      asked.push(messages.map(({ content }) => content).join('\n'));
      const reply = replies.length > 1 ? replies.shift() : replies[0];
      if (reply instanceof Error) throw reply;
      return reply ?? '';
    },
  };
  return { asked, model };
}

describe('the classifier', () => {
  it.each([
    'Who wrote Old Wolf?',
    'capital of Mondria',
    'Which company designed the first transistor radio?',
    'Which of her novels won the Booker Prize in 1990?',
    'AC/DC founding year',
    'events of 24/7 2011',
    'What is the Riemann hypothesis?',
    'author of How to Solve It',
    'population of Borfield in 1931',
  ])('sends to a search: %s', (query) => {
    expect(classifyQuery(query).kind).toBe('knowledge');
  });

  it.each([
    'calculate the sum of 3 and 4',
    'What is 3 * 4?',
    'solve x^2 = 4',
    'Prove that the square root of 2 is irrational',
    'which option is right',
    'Which of the following is a mammal?',
    'how can we compute the area of a ring',
    'what should I do next',
    'A. wolf B. dog C. cat which is bigger',
    'let us combine the two clues',
  ])('sends back: %s', (query) => {
    expect(classifyQuery(query).kind).toBe('reasoning');
  });
});

describe('the extractive summary', () => {
  it('scores by BM25, as worked by hand', () => {
    // Two sentences of two words: length is the mean, so tf / (tf + 1.2) · 2.2 = 1 where tf = 1.
    const sentences = [
      { terms: ['grey', 'wolf'], title: [] },
      { terms: ['grey', 'cat'], title: [] },
    ];
    // idf(wolf) = ln(1 + 1.5/1.5) = ln 2; idf(grey) = ln(1 + 0.5/2.5) = ln 1.2.
    const [first, second] = lexicalScores('the grey wolf', sentences);
    expect(first).toBe(1);
    expect(second).toBeCloseTo(Math.log(1.2) / (Math.log(1.2) + Math.log(2)), 12);
  });

  it('puts the passage that bears the answer first, with its title', async () => {
    const { text, fallback } = await new Extractive().draft({
      query: 'Who was Old Wolf written by?',
      passages: PASSAGES,
    });
    expect(fallback).toBe(false);
    expect(text.split('\n')[0]).toMatch(/^Old Wolf : .*It was written by Victor Kerlund\./u);
    expect(text).not.toMatch(/Ships|packs/u);
  });

  it('keeps sentences whole, in their order, and within its length', async () => {
    const method = new Extractive(null, { maxWords: 12, maxSentences: 6 });
    const { text } = await method.draft({
      query: 'Old Wolf cover grey written',
      passages: PASSAGES,
    });
    expect(text).toBe('Old Wolf : The cover is grey. It was written by Victor Kerlund.');
  });

  it('says nothing twice', async () => {
    const twice = [PASSAGES[1]!, { ...PASSAGES[1]!, id: 'other', title: 'Old Wolf (novel)' }];
    const { text } = await new Extractive().draft({
      query: 'Old Wolf written by',
      passages: twice,
    });
    expect(text.match(/written by Victor Kerlund/gu)).toHaveLength(1);
  });

  it('hears the encoder where there is one', async () => {
    // Similarity alone knows that a port is a harbour.
    const similarities = (_: string, passages: readonly Passage[]) =>
      Promise.resolve(passages.map(({ text }) => Number(text.includes('harbour'))));
    const query = 'port';
    const without = await new Extractive().draft({ query, passages: PASSAGES });
    expect(without.text).toBe('nothing found that bears on this query .');
    const { text } = await new Extractive(similarities).draft({ query, passages: PASSAGES });
    expect(text).toBe('Borfield : It has a harbour.');
  });

  it('gives the fallback sentence for a query that asks for reasoning', async () => {
    const draft = await new Extractive().draft({
      query: 'which option is right',
      passages: PASSAGES,
    });
    expect(draft).toMatchObject({ text: FALLBACK_SENTENCE, fallback: true });
    expect(draft.reason).toContain('options');
  });
});

describe('a model’s summary', () => {
  it.each([
    ['KIND: knowledge\nSUMMARY: Victor Kerlund wrote it.', 'Victor Kerlund wrote it.', false],
    ['**KIND:** Knowledge\n**SUMMARY:** Two\nlines.', 'Two lines.', false],
    ['Victor Kerlund wrote it.', 'Victor Kerlund wrote it.', false],
    ['<think>KIND: reasoning?</think>KIND: knowledge\nSUMMARY: Yes.', 'Yes.', false],
    ['KIND: reasoning\nSUMMARY: -', FALLBACK_SENTENCE, true],
    ['KIND: knowledge\nSUMMARY: nothing found.', 'nothing found that bears on this query .', false],
  ])('%j', (said, text, fallback) => {
    expect(readSummary(said)).toMatchObject({ text, fallback });
  });

  it.each(['', '   ', 'KIND: knowledge', 'KIND: knowledge\nSUMMARY: -', '<think>hm</think>'])(
    'is none: %j',
    (said) => {
      expect(() => readSummary(said)).toThrow(/summarizer wrote/u);
    },
  );

  it('comes from the query and the passages, and from nothing else', async () => {
    const { asked, model } = scripted('KIND: knowledge\nSUMMARY: X.');
    const summarizer = openSummarizer({ kind: 'model', policy: { kind: 'built-in' } }, { model });
    await summarizer?.summarize({ query: 'Who wrote Old Wolf?', passages: PASSAGES });
    expect(asked[0]).toContain('Query: Who wrote Old Wolf?');
    expect(asked[0]).toContain('[2] Old Wolf\nThe cover is grey.');
  });
});

describe('the cache', () => {
  const open = (model: SummaryModel) =>
    openSummarizer({ kind: 'model', policy: { kind: 'built-in' } }, { model })!;

  it('keeps what was written, by query, passages and model', async () => {
    const { asked, model } = scripted('One.', 'Two.', 'Three.');
    const summarizer = open(model);
    const ask = (query: string, passages = PASSAGES) => summarizer.summarize({ query, passages });
    expect(await ask('q')).toMatchObject({ text: 'One.', cached: false });
    expect(await ask('q')).toMatchObject({ text: 'One.', cached: true });
    expect(await ask('other')).toMatchObject({ text: 'Two.', cached: false });
    expect(await ask('q', PASSAGES.slice(1))).toMatchObject({ text: 'Three.', cached: false });
    expect(asked).toHaveLength(3);
    expect(open({ ...model, id: 'another' }).id).not.toBe(summarizer.id);
  });

  it('asks once for equal requests at the same time, and keeps no failure', async () => {
    const { asked, model } = scripted(new Error('offline'), 'One.');
    const summarizer = open(model);
    const ask = () => summarizer.summarize({ query: 'q', passages: PASSAGES });
    const both = await Promise.allSettled([ask(), ask()]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(asked).toHaveLength(1);
    expect((await ask()).text).toBe('One.');
  });

  it('refuses a model that is not there', () => {
    expect(() => openSummarizer({ kind: 'model', policy: { kind: 'built-in' } })).toThrow(
      /not loaded/u,
    );
    expect(openSummarizer({ kind: 'off' })).toBeNull();
  });
});
