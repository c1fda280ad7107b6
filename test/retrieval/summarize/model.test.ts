import { describe, expect, test } from 'vitest';
import type { Passage } from '../../../src/records/records.ts';
import { cachedSummarizer } from '../../../src/retrieval/summarize/cached.ts';
import {
  openSummarizer,
  ModelMethod,
  readSummary,
} from '../../../src/retrieval/summarize/index.ts';

type SummaryModel = ConstructorParameters<typeof ModelMethod>[0];

const passage = (id: string, text = 'text'): Passage => ({
  id,
  title: `Title ${id}`,
  text,
  sentences: [text],
});

const listening = () => {
  const asked: Parameters<SummaryModel['complete']>[] = [];
  const model: SummaryModel = {
    id: 'listening',
    complete: (...args) => {
      asked.push(args);
      return Promise.resolve('SUMMARY: said.');
    },
  };
  return { asked, method: new ModelMethod(model) };
};

describe('what a model is asked', () => {
  test('instructions and then the query with its passages, for 256 tokens without chance', async () => {
    const { asked, method } = listening();
    expect(method.id).toBe('model/1:listening');
    await method.draft({ query: 'q', passages: [passage('a'), passage('b', 'more')] });
    const [messages, options] = asked[0] ?? [];
    expect(messages?.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(messages?.[1]?.content).toBe(
      'Query: q\n\nPassages:\n\n[1] Title a\ntext\n\n[2] Title b\nmore',
    );
    expect(options).toStrictEqual({ maxTokens: 256, temperature: 0 });
    const { signal } = new AbortController();
    await method.draft({ query: 'q', passages: [], signal });
    expect(asked[1]?.[1].signal).toBe(signal);
    expect(asked[1]?.[0][1]?.content).toBe('Query: q\n\nPassages:\n\nThe search returned none.');
  });

  test.each([
    [1, 9000],
    [2, 4500],
    [7, 1285],
  ])('of %i long passages %i characters each', async (count, each) => {
    const { asked, method } = listening();
    const passages = Array.from({ length: count }, (_, i) => passage(`${i}`, 'z'.repeat(10_000)));
    await method.draft({ query: 'q', passages });
    const runs = asked[0]?.[0][1]?.content.match(/z+/g) ?? [];
    expect(runs.map(({ length }) => length)).toEqual(Array(count).fill(each));
  });
});

describe('what a model said', () => {
  test.each([
    ['kind: KNOWLEDGE\nsummary: Ann.', 'Ann.'],
    ['Kind: knowledge\nAnn  wrote\n it.', 'Ann wrote it.'],
    ['SUMMARY: - Ann wrote it. **', 'Ann wrote it.'],
    ['  SUMMARY:Ann.  ', 'Ann.'],
    ['<THINK>x</THINK>Ann.<think>\ny\n</think>', 'Ann.'],
    ['Her work was of a KIND: knowledge', 'Her work was of a KIND: knowledge'],
    ['She found that nothing found her.', 'She found that nothing found her.'],
    ['nothing found her', 'nothing found her'],
    ['we have nothing found', 'we have nothing found'],
  ])('%j is a summary: %j', (said, text) => {
    expect(readSummary(said)).toEqual({
      text,
      fallback: false,
      reason: 'the model calls it a query for knowledge',
    });
  });

  test('that nothing helps, or that it is not for a search', () => {
    for (const said of ['Nothing found', 'SUMMARY: NOTHING FOUND .'])
      expect(readSummary(said)).toEqual({
        text: 'nothing found that bears on this query .',
        fallback: false,
        reason: 'the model found nothing that helps',
      });
    for (const said of ['KIND: Reasoning', '* kind: reasoning *', 'Well\n KIND: **reasoning**'])
      expect(readSummary(said)).toMatchObject({
        fallback: true,
        reason: 'the model calls it a query for reasoning',
      });
  });

  test('nothing at all, or no summary, are told apart', () => {
    expect(() => readSummary(' <think>a</think> ')).toThrow('the summarizer wrote nothing');
    expect(() => readSummary('SUMMARY: —')).toThrow('the summarizer wrote no summary');
    expect(() => readSummary('KIND: knowledge\n')).toThrow('the summarizer wrote no summary');
  });
});

describe('summaries that are kept', () => {
  const method = () => {
    const state = { drafts: 0 };
    return {
      state,
      draft: () => Promise.resolve({ text: `${++state.drafts}`, fallback: false, reason: 'why' }),
      id: 'counted',
    };
  };

  test('say who wrote them and how long it took', async () => {
    let clock = 100;
    const summarizer = cachedSummarizer(
      {
        ...method(),
        draft: async () => ((clock += 30), { text: 'T', fallback: true, reason: 'R' }),
      },
      { now: () => clock },
    );
    const request = { query: 'q', passages: [passage('a')] };
    const summary = { text: 'T', fallback: true, reason: 'R', by: 'counted' };
    expect(await summarizer.summarize(request)).toEqual({
      ...summary,
      cached: false,
      latencyMs: 30,
    });
    expect(await summarizer.summarize(request)).toEqual({ ...summary, cached: true, latencyMs: 0 });
    expect(summarizer.id).toBe('counted');
  });

  test('are of the query without blanks around it and of the passages in their order', async () => {
    const counted = method();
    const summarizer = cachedSummarizer(counted);
    const [a, b] = [passage('a'), passage('b')];
    const ask = async (query: string, passages: readonly Passage[]) =>
      (await summarizer.summarize({ query, passages })).text;
    expect(await ask('q', [a, b])).toBe('1');
    expect(await ask(' q\n', [a, b])).toBe('1');
    expect(await ask('q', [b, a])).toBe('2');
    expect(await ask('q', [a])).toBe('3');
    expect(await ask('Q', [a])).toBe('4');
  });

  test('are 512, or as many as are said', async () => {
    const ask = async (summarizer: ReturnType<typeof cachedSummarizer>, query: string) =>
      (await summarizer.summarize({ query, passages: [] })).cached;
    const two = cachedSummarizer(method(), { entries: 2 });
    for (const query of ['a', 'b', 'c']) await ask(two, query);
    expect(await ask(two, 'b')).toBe(true);
    expect(await ask(two, 'a')).toBe(false);
    const many = cachedSummarizer(method());
    for (let i = 0; i < 512; i++) await ask(many, `q${i}`);
    expect(await ask(many, 'q0')).toBe(true);
    // The one that was asked for longest ago goes first.
    await ask(many, 'q512');
    expect(await ask(many, 'q0')).toBe(true);
    expect(await ask(many, 'q1')).toBe(false);
  });

  test('are not asked for by who has gone, nor given', async () => {
    const counted = method();
    const summarizer = cachedSummarizer(counted);
    const request = { query: 'q', passages: [] };
    await summarizer.summarize(request);
    const signal = AbortSignal.abort(new Error('gone'));
    await expect(summarizer.summarize({ ...request, signal })).rejects.toThrow('gone');
    await expect(summarizer.summarize({ ...request, query: 'r', signal })).rejects.toThrow('gone');
    expect(counted.state.drafts).toBe(1);
  });
});

test('a setup names the way: sentences, with the encoder where there is one', async () => {
  const similarities = () => Promise.resolve([]);
  expect(openSummarizer({ kind: 'extractive' })?.id).toBe('extractive/1:80:6');
  const extractive = { maxWords: 30 };
  expect(openSummarizer({ kind: 'extractive' }, { similarities, extractive })?.id).toBe(
    'extractive/1:30:6:encoder',
  );
});
