import { expect, test } from 'vitest';
import type { ChainStep, Passage } from '../../../src/records/records.ts';
import { cachedSummarizer } from '../../../src/retrieval/summarize/cached.ts';
import { Extractive } from '../../../src/retrieval/summarize/extractive.ts';
import { goldSentences, oracle } from '../../../src/retrieval/summarize/oracle.ts';
import {
  FALLBACK_SENTENCE,
  NOTHING_RELEVANT,
} from '../../../src/retrieval/summarize/summarizer.ts';

const passage = (id: string, title: string, ...sentences: string[]): Passage => ({
  id,
  title,
  text: sentences.join(' '),
  sentences,
});

const WOLF = passage('l0', 'Old Wolf', 'The cover is grey.', 'It was written by Victor Kerlund.');
const OTHER = passage('l2', 'Silent Harbor', 'Victor Kerlund never saw it.');
const LIST = passage('w3', 'Films of Borfield', 'One was shot here.', 'Another was shot there.');
const PASSAGES = [OTHER, WOLF, LIST];

const step = (object: string, passageId: string, passageIds?: string[]): ChainStep => ({
  subject: 's',
  relation: 'r',
  object,
  title: 't',
  passageId,
  query: 'q',
  ...(passageIds && { passageIds }),
});
const gold = (...chain: ChainStep[]) => ({
  answers: ['Borfield'],
  supporting: ['Old Wolf'],
  chain,
});

test('keeps what states the object of a chain step in its own passage, and nothing of another', () => {
  expect(goldSentences(PASSAGES, gold(step('victor kerlund', 'l0')))).toEqual([
    { title: 'Old Wolf', text: 'It was written by Victor Kerlund.' },
  ]);
  // The same page in the other source.
  expect(goldSentences(PASSAGES, gold(step('Victor Kerlund', 'w9', ['w9', 'l0'])))).toHaveLength(1);
  // Whole words: “grey” is not in “greyhound”.
  const hound = passage('h', 'Hound', 'It is a greyhound.', 'It is grey.');
  expect(goldSentences([hound], gold(step('grey', 'h')))).toEqual([
    { title: 'Hound', text: 'It is grey.' },
  ]);
});

test('of a list that no sentence states whole it keeps the first sentence; of noise nothing', () => {
  expect(goldSentences(PASSAGES, gold(step('A, B, C', 'w3')))).toEqual([
    { title: 'Films of Borfield', text: 'One was shot here.' },
  ]);
  expect(goldSentences([{ ...WOLF, noise: 'stale' }], gold(step('Victor Kerlund', 'l0')))).toEqual(
    [],
  );
});

test('without a chain the answers in supporting passages are kept', () => {
  const asked = { answers: ['Victor Kerlund'], supporting: ['Old Wolf'], chain: [] };
  expect(goldSentences(PASSAGES, asked)).toEqual([
    { title: 'Old Wolf', text: 'It was written by Victor Kerlund.' },
  ]);
});

test('adds the gold sentences that the extractive summary drops, and leaves reasoning alone', async () => {
  const ask = (query: string, chain: ChainStep) =>
    oracle.draft({ query, passages: PASSAGES, gold: gold(chain) });
  const plain = await new Extractive().draft({ query: 'cover grey', passages: PASSAGES });
  expect(plain.text).toBe('Old Wolf : The cover is grey.');
  const added = 'Old Wolf : It was written by Victor Kerlund.';
  expect((await ask('cover grey', step('Victor Kerlund', 'l0'))).text).toBe(
    `${added}\n${plain.text}`,
  );
  // What is kept already is not said twice, and what was not retrieved is not known.
  expect((await ask('cover grey', step('grey', 'l0'))).text).toBe(plain.text);
  expect((await ask('cover grey', step('X', 'nowhere'))).text).toBe(plain.text);
  expect((await ask('unheard of', step('X', 'nowhere'))).text).toBe(NOTHING_RELEVANT);
  expect((await ask('unheard of', step('Victor Kerlund', 'l0'))).text).toBe(added);
  expect(await ask('calculate the sum of 3 and 4', step('Victor Kerlund', 'l0'))).toMatchObject({
    text: FALLBACK_SENTENCE,
    fallback: true,
  });
  await expect(oracle.draft({ query: 'q', passages: PASSAGES })).rejects.toThrow('gold chain');
});

test('the same query and passages for another question are another summary', async () => {
  const summarizer = cachedSummarizer(oracle);
  const ask = (chain: ChainStep) =>
    summarizer.summarize({ query: 'unheard of', passages: PASSAGES, gold: gold(chain) });
  const first = await ask(step('Victor Kerlund', 'l0'));
  const second = await ask(step('A, B', 'w3'));
  expect([first.cached, second.cached]).toEqual([false, false]);
  expect(second.text).toBe('Films of Borfield : One was shot here.');
  expect((await ask(step('Victor Kerlund', 'l0'))).cached).toBe(true);
});
