import { describe, expect, it } from 'vitest';
import { eventsOf, contextText, QUESTION, run, stopReason, type Ran } from '../helpers.ts';

/** Each loop with a policy that knows the protocol's tags alone. */

const think = (text: string): string => `<think> ${text}</think>`;
const BOX = ' Borfield }</short_answer>';

const queries = ({ rollout }: Ran): [string, string][] =>
  eventsOf(rollout, 'search').map(({ query, by }) => [query, by ?? 'policy']);
const asides = ({ rollout }: Ran): [string, string][] =>
  eventsOf(rollout, 'aside').map(({ of, text }) => [of, text]);

it('chain of thought writes no search, and is told so', async () => {
  const ran = await run({ main: [think('by type .'), BOX] }, { recipe: 'chain-of-thought' });
  expect(ran.rollout.metrics).toMatchObject({ em: 1, searches: 0, formatValid: true });
});

it('rewrite-retrieve-read asks what the policy would search, and reads once', async () => {
  const ran = await run(
    {
      main: [BOX],
      asides: [`${think('plan .')}<search> birth city of Victor Kerlund</search>`],
    },
    { recipe: 'rewrite-retrieve-read' },
  );
  expect(asides(ran)).toEqual([['rewrite', 'birth city of Victor Kerlund']]);
  expect(queries(ran)).toEqual([['birth city of Victor Kerlund', 'loop']]);
  expect(contextText(ran.rollout)).not.toContain('<search>');
  expect(ran.rollout).toMatchObject({ answer: 'Borfield', metrics: { searches: 1, em: 1 } });
});

it('IRCoT searches with the question, then with each thought, until the last one', async () => {
  const first = 'author is Victor Kerlund . next birth city .';
  const ran = await run(
    { main: [think(first), think('birth city is Borfield . done .'), BOX] },
    { recipe: 'ircot' },
  );
  expect(queries(ran)).toEqual([[first, 'loop']]);
  expect(eventsOf(ran.rollout, 'retrieve').map(({ query }) => query)).toEqual([
    QUESTION.text,
    first,
  ]);
  const written = ran.rollout.segments.find(({ role }) => role === 'search');
  expect(written).toMatchObject({ source: 'environment', text: `<search> ${first}</search>` });
  expect(ran.rollout).toMatchObject({ answer: 'Borfield', metrics: { searches: 2, em: 1 } });
});

it('Iter-RetGen asks with the answer so far behind the question', async () => {
  const ran = await run(
    { main: [BOX], asides: [' Victor Kerlund }</short_answer>', ' }</short_answer>'] },
    { recipe: 'iter-retgen' },
  );
  expect(eventsOf(ran.rollout, 'retrieve').map(({ query }) => query)).toEqual([
    QUESTION.text,
    `${QUESTION.text} Victor Kerlund`,
    QUESTION.text,
  ]);
  expect(ran.rollout.metrics?.searches).toBe(3);
});

it('Self-Ask searches with the question first; five follow-ups are the most', async () => {
  const follow = `${think('next .')}<search> author of Old Wolf</search>`;
  const ran = await run(
    { main: [follow, follow, follow, follow, follow, follow, BOX] },
    { recipe: 'self-ask' },
  );
  expect(eventsOf(ran.rollout, 'retrieve')[0]?.query).toBe(QUESTION.text);
  expect(ran.rollout.metrics?.searches).toBe(6);
  expect(stopReason(ran.rollout)).toBe('max-searches');
});

it.each([
  [2, 3],
  [4, 5],
])('Self-Ask makes of %i hops %i searches, within its limit', async (hops, searches) => {
  const follow = `${think('next .')}<search> author of Old Wolf</search>`;
  const done = `${think('done .')}<short_answer> \\boxed{ Borfield }</short_answer>`;
  const ran = await run(
    { main: [...Array.from({ length: hops }, () => follow), done] },
    { recipe: 'self-ask' },
  );
  expect(ran.rollout).toMatchObject({ answer: 'Borfield', metrics: { searches } });
  expect(stopReason(ran.rollout)).toBe('answer');
});

it('RAT asks each part of its plan of what stands so far, and revises that', async () => {
  const ran = await run(
    {
      main: [BOX],
      asides: [think('plan : author , birth city .'), ' Victor Kerlund }</short_answer>'],
    },
    { recipe: 'rat' },
  );
  expect(asides(ran)).toEqual([
    ['draft', 'plan : author , birth city .'],
    ['reading', 'Victor Kerlund'],
  ]);
  expect(queries(ran).map(([query]) => query)).toEqual([
    'author of Old Wolf',
    'birth city of Victor Kerlund',
  ]);
  expect(ran.rollout).toMatchObject({ answer: 'Borfield', metrics: { searches: 2 } });
});

it('Search-o1 shows sentences for query and thought in place of passages', async () => {
  const ran = await run(
    {
      main: [
        `${think('who wrote it .')}<search> author of Old Wolf</search>`,
        `${think('done .')}<short_answer> \\boxed{ Borfield }</short_answer>`,
      ],
    },
    { recipe: 'search-o1' },
  );
  const [extract] = eventsOf(ran.rollout, 'summarize');
  expect(extract?.text).toContain('Old Wolf was written by Victor Kerlund.');
  const result = ran.rollout.segments.find(({ role }) => role === 'result');
  expect(result?.text).toContain('written by Victor Kerlund');
  expect(result?.text).not.toContain('Borfield');
});

it('ReAct opens the page that a search names, or names similar ones', async () => {
  const ran = await run(
    {
      main: [
        `${think('who .')}<search> author of Old Wolf</search>`,
        `${think('where .')}<search> Veldor</search>`,
        `${think('done .')}<short_answer> \\boxed{ Borfield }</short_answer>`,
      ],
    },
    { recipe: 'react' },
  );
  const results = ran.rollout.segments.filter(({ role }) => role === 'result');
  expect(results[0]?.text).toBe(
    '<result> Old Wolf : Old Wolf was written by Victor Kerlund. It came out in 1931.</result>',
  );
  expect(results[1]?.text).toContain('could not find Veldor');
});

it('ReAct has room for three hops that each miss once: six searches, and the answer as the seventh step', async () => {
  const [miss, page] = ['Veldor', 'author of Old Wolf'].map(
    (query) => `${think('who .')}<search> ${query}</search>`,
  ) as [string, string];
  const done = `${think('done .')}<short_answer> \\boxed{ Borfield }</short_answer>`;
  const of = (main: string[]) => run({ main }, { recipe: 'react' });
  const three = await of([miss, page, miss, page, miss, page, done]);
  expect(three.rollout).toMatchObject({ answer: 'Borfield', metrics: { searches: 6 } });
  expect(stopReason(three.rollout)).toBe('answer');
  const more = await of([miss, page, miss, page, miss, page, miss, done]);
  expect(stopReason(more.rollout)).toBe('max-searches');
});

describe('FLARE', () => {
  const answer = '<short_answer> \\boxed{ Borfield }</short_answer>';
  const sentence = 'author is Victor Kerlund .';

  it('takes over a sentence of which it is sure, token for token', async () => {
    const sure = [
      { text: think(sentence), logprob: -0.1 },
      { text: answer, logprob: -0.1 },
    ];
    const ran = await run({ main: [], probes: [sure] }, { recipe: 'flare' });
    expect(ran.rollout.metrics).toMatchObject({ searches: 0, em: 1 });
    expect(asides(ran)).toEqual([]);
    const thought = ran.rollout.segments.find(({ role }) => role === 'think');
    expect(thought).toMatchObject({ source: 'policy', mask: 1, text: think(sentence) });
    expect(thought?.logprobs?.[0]).toBe(-0.1);
  });

  it('retrieves with one of which it is not, and writes it again', async () => {
    const unsure = [
      { text: think(sentence), logprob: -0.5 },
      { text: answer, logprob: -0.1 },
    ];
    const ran = await run(
      { main: [think('author is Victor Kerlund , born in Borfield .')], probes: [unsure] },
      { recipe: 'flare' },
    );
    expect(queries(ran)).toEqual([[sentence, 'loop']]);
    expect(asides(ran)).toEqual([['look-ahead', sentence]]);
    expect(contextText(ran.rollout)).not.toContain(think(sentence));
    expect(ran.rollout.metrics).toMatchObject({ searches: 1, em: 1 });
    const tokens = eventsOf(ran.rollout, 'aside')[0]?.tokens ?? 0;
    const written = ran.rollout.segments.filter(({ source }) => source === 'policy');
    expect(ran.rollout.metrics?.tokens).toBe(
      tokens + written.reduce((sum, { ids }) => sum + ids.length, 0),
    );
  });

  it('as FlashRAG released it, retrieves at no such sentence', async () => {
    const unsure = [
      { text: think(sentence), logprob: -0.5 },
      { text: answer, logprob: -0.5 },
    ];
    const ran = await run(
      { main: [], probes: [unsure] },
      { recipe: 'flare', overrides: { system: { asReleased: true } } },
    );
    expect(ran.rollout.metrics).toMatchObject({ searches: 0, em: 1 });
  });
});

describe('Self-RAG-style reflection', () => {
  const script = {
    main: [think('who wrote it .'), ' author of Old Wolf</search>', think('done .'), BOX],
    asides: [],
  };

  it('retrieves where a search is likely enough, and reads the passage behind which it goes on best', async () => {
    const ran = await run(
      {
        ...script,
        probes: [
          [
            { text: '<search>', logprob: -0.1 },
            { text: think('Nora Vinford'), logprob: -2 },
            { text: think('Victor Kerlund'), logprob: -0.1 },
            { text: '<short_answer>', logprob: -0.01 },
          ],
        ],
      },
      { recipe: 'self-rag', overrides: { retrieval: { k: 2 } } },
    );
    expect(queries(ran)).toEqual([['author of Old Wolf', 'loop']]);
    const told = asides(ran);
    expect(told[0]).toEqual(['judgement', 'retrieve 0.905']);
    expect(told.filter(([of]) => of === 'continuation')).toHaveLength(2);
    expect(told.at(-1)).toEqual(['judgement', 'retrieve 0.010']);
    const [hits] = eventsOf(ran.rollout, 'retrieve').map((event) => event.hits);
    const result = ran.rollout.segments.find(({ role }) => role === 'result');
    expect(result?.text).toContain(hits?.[1]?.passage.text);
    expect(result?.text).not.toContain(hits?.[0]?.passage.text);
    expect(ran.rollout.answer).toBe('Borfield');
  });

  it('answers at once where its threshold is above that share', async () => {
    const ran = await run(
      { main: [think('who wrote it .'), BOX], probes: [[{ text: '<search>', logprob: -0.1 }]] },
      { recipe: 'self-rag', overrides: { system: { threshold: 0.95 } } },
    );
    expect(ran.rollout.metrics).toMatchObject({ searches: 0, em: 1 });
  });
});

it('SearChain corrects a thought that the reader contradicts', async () => {
  const ran = await run(
    {
      main: [
        `${think('who .')}<search> author of Old Wolf</search>`,
        think('author is Nora Vinford .'),
        `${think('author is Victor Kerlund .')}<short_answer> \\boxed{ Borfield }</short_answer>`,
      ],
      asides: [' Victor Kerlund }</short_answer>'],
    },
    { recipe: 'sear-chain', overrides: { system: { threshold: -1 } } },
  );
  const hint = ran.rollout.segments.find(({ role }) => role === 'hint');
  expect(hint?.text).toContain('author of Old Wolf is Victor Kerlund .');
  expect(hint?.source).toBe('environment');
  expect(ran.rollout.answer).toBe('Borfield');
});

it('InstructRAG reads five passages, the best one last, and thinks before it answers', async () => {
  const ran = await run(
    { main: [think('2 helps .'), BOX] },
    { recipe: 'instruct-rag', overrides: { retrieval: { k: 3, fitK: false } } },
  );
  const hits = eventsOf(ran.rollout, 'retrieve')[0]?.hits ?? [];
  const result = ran.rollout.segments.find(({ role }) => role === 'result')?.text ?? '';
  const places = hits.map(({ passage }) => result.indexOf(passage.text));
  expect(places).toEqual(places.toSorted((a, b) => b - a));
  expect(hits.length).toBeGreaterThan(1);
  expect(ran.rollout).toMatchObject({ answer: 'Borfield', metrics: { searches: 1 } });
});

it('ActiveRAG refuses a policy that cannot be asked in words', async () => {
  await expect(run({ main: [] }, { recipe: 'active-rag' })).rejects.toThrow(
    /ActiveRAG needs a chat model.*choose a checkpoint folder/,
  );
});
