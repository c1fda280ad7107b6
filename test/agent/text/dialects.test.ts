import { describe, expect, it } from 'vitest';
import { readPlainAnswer } from '../../../src/agent/transcript/boxed.ts';
import { instructionText } from '../../../src/agent/transcript/instruction.ts';
import { readTags } from '../../../src/agent/transcript/tags.ts';
import { roundsOf } from '../../../src/formats/rollouts/rounds.ts';
import { TextPolicy } from '../../../src/policy/remote/text-policy.ts';
import { getRecipe } from '../../../src/systems/index.ts';
import { contextText, eventsOf, faultsOf, retrieverOver } from '../helpers.ts';
import { ScriptedBackend } from '../../policy/remote/pieces/scripted-backend.ts';
import { byteTokenizer } from './tokenizers.ts';
import { runText, serverOf } from './helpers.ts';

/** What published checkpoints write, call by call, each in its own format. */
interface Published {
  recipe: string;
  /** What is around what the environment writes. */
  result: [open: string, close: string];
  calls: string[];
  queries: string[];
}

const PUBLISHED: Published[] = [
  {
    recipe: 'search-r1',
    result: ['<information>', '</information>'],
    calls: [
      '<think> I need the author. </think>\n\n<search> author of Old Wolf </search>',
      '<think> Victor Kerlund. Born where? </think>\n<search> Victor Kerlund birth </search>',
      '<think> In Borfield. </think>\n<answer> Borfield </answer>',
    ],
    queries: ['author of Old Wolf', 'Victor Kerlund birth'],
  },
  {
    recipe: 'r1-searcher',
    result: ['<|begin_of_documents|>', '<|end_of_documents|>'],
    calls: [
      '<think>First the author of the book. <|begin_of_query|> author of Old Wolf <|end_of_query|>',
      'It is Victor Kerlund.\n<|begin_of_query|> Victor Kerlund birth<|end_of_query|>',
      'So the city is Borfield.</think>\n<answer>Borfield</answer>',
    ],
    queries: ['author of Old Wolf', 'Victor Kerlund birth'],
  },
  {
    recipe: 'research',
    result: ['<result>', '</result>'],
    calls: [
      '<think> Who wrote it? </think> <search> author of Old Wolf </search>',
      '<think> Born where? </think> <search> Victor Kerlund birth </search>',
      '<think> Done. </think> <answer> The final answer is \\boxed{Borfield} </answer>',
    ],
    queries: ['author of Old Wolf', 'Victor Kerlund birth'],
  },
  {
    recipe: 'ur2',
    result: ['<|begin_of_documents|>', '<|end_of_documents|>'],
    calls: [
      '<think> The author comes first. <|begin_of_query|> author of Old Wolf <|end_of_query|>',
      'Then the city. <|begin_of_query|> Victor Kerlund birth <|end_of_query|>',
      'That is all. </think> He was born in \\boxed{Borfield}.',
    ],
    queries: ['author of Old Wolf', 'Victor Kerlund birth'],
  },
  {
    recipe: 'auto-refine',
    result: ['<documents>', '</documents>'],
    calls: [
      '<think> Who? </think>\n<search> author of Old Wolf </search>',
      '<refine> It is by Victor Kerlund. </refine>\n<search> Victor Kerlund birth </search>',
      '<refine> Born in Borfield. </refine>\n<answer> Borfield </answer>',
    ],
    queries: ['author of Old Wolf', 'Victor Kerlund birth'],
  },
  {
    recipe: 're-seek',
    result: ['<information>', '</information>'],
    calls: [
      '<think> Who? </think>\n<search> author of Old Wolf </search>',
      '<judge> Yes </judge>\n<think> Born where? </think>\n<search> Victor Kerlund birth </search>',
      '<judge> Yes </judge>\n<answer> Borfield </answer>',
    ],
    queries: ['author of Old Wolf', 'Victor Kerlund birth'],
  },
  {
    recipe: 'r-search',
    result: ['<observation>', '</observation>'],
    calls: [
      'First the author. <search> author of Old Wolf </search>',
      'Then the city. <search> Victor Kerlund birth </search>',
      '<original_evidence> Victor Kerlund was born in Borfield. </original_evidence>\n<answer> Borfield </answer>',
    ],
    queries: ['author of Old Wolf', 'Victor Kerlund birth'],
  },
  {
    recipe: 'in-forage',
    result: ['<evidence>', '</evidence>'],
    calls: [
      '<think> Who? </think>\n<search> author of Old Wolf </search>',
      '<think> Born where? </think>\n<search> Victor Kerlund birth </search>',
      '<think> In Borfield. </think>\n<answer> Borfield </answer>',
    ],
    queries: ['author of Old Wolf', 'Victor Kerlund birth'],
  },
  {
    recipe: 'tool-star',
    result: ['<result>', '</result>'],
    calls: [
      '<think> Who wrote it? </think> <search> author of Old Wolf </search>',
      '<think> Born where? </think> <search> Victor Kerlund birth </search>',
      '<think> Done. </think> <answer> The final answer is \\[ \\boxed{Borfield} \\] </answer>',
    ],
    queries: ['author of Old Wolf', 'Victor Kerlund birth'],
  },
  {
    recipe: 'deep-researcher',
    result: ['<tool_response>', '</tool_response>'],
    calls: [
      '<think>\nThe author first.\n</think>\n<tool_call>\n{"name": "web_search", "arguments": {"query": ["author of Old Wolf"]}}\n</tool_call>',
      '<think>\nThen the city.\n</think>\n<tool_call>\n{"name": "web_search", "arguments": {"query": ["Victor Kerlund birth", "Kerlund born"]}}\n</tool_call>',
      '<think>\nIn Borfield.\n</think>\n<answer>\nBorfield\n</answer>',
    ],
    queries: ['author of Old Wolf', 'Victor Kerlund birth; Kerlund born'],
  },
  {
    recipe: 'self-ask',
    result: ['Context:', 'Intermediate answer:'],
    calls: [
      'Are follow up questions needed here: Yes.\nFollow up: Who wrote Old Wolf?\nIntermediate answer:',
      ' Victor Kerlund.\nFollow up: Where was Victor Kerlund born?\nIntermediate answer:',
      ' Borfield.\nSo the final answer is: Borfield.',
    ],
    queries: ['Who wrote Old Wolf?', 'Where was Victor Kerlund born?'],
  },
  {
    recipe: 'react',
    result: ['Observation:', '\n'],
    calls: [
      'Thought 1: I open the book.\nAction 1: Search[Old Wolf]',
      'Thought 2: Now the author.\nAction 2: Search[Victor Kerlund]',
      'Thought 3: Borfield.\nAction 3: Finish[Borfield]',
    ],
    queries: ['Old Wolf', 'Victor Kerlund'],
  },
];

/** Results as released code writes them: generation.py of Search-R1 and its kin, OpenRLHF-RAG and vllm_rollout.py. */
const RELEASED: Record<string, string> = {
  'search-r1':
    '\n\n<information>Doc 1(Title: "Old Wolf") Its author is Ada.\nDoc 2(Title: "Ada") She is an author.</information>\n\n',
  'auto-refine':
    '\n\n<documents>Doc 1(Title: "Old Wolf") Its author is Ada.\nDoc 2(Title: "Ada") She is an author.</documents>\n\n',
  'r1-searcher':
    '\n\n<|begin_of_documents|>\n(1)Title: Old Wolf Text: Its author is Ada.\n(2)Title: Ada Text: She is an author.\n<|end_of_documents|>\n\n',
  're-seek':
    '\n\n<information>Doc 1(Title: "Old Wolf") Its author is Ada.\nDoc 2(Title: "Ada") She is an author.</information>\n\n',
  'r-search':
    '\n\n<observation>(Title: "Old Wolf") Its author is Ada.\n(Title: "Ada") She is an author.</observation>\n\n',
  'in-forage':
    '\n\n<evidence>Doc 1 "Old Wolf"\nIts author is Ada.\nDoc 2 "Ada"\nShe is an author.</evidence>\n\n',
  'tool-star': ' <result>\n"Old Wolf"\nIts author is Ada.\n\n"Ada"\nShe is an author.\n</result>',
  research: ' <result>\n"Old Wolf"\nIts author is Ada.\n\n"Ada"\nShe is an author.\n</result>',
};

it.each(Object.entries(RELEASED))(
  '%s reads passages laid out as in its training',
  async (id, text) => {
    const calls = PUBLISHED.find(({ recipe }) => recipe === id)?.calls ?? [];
    const passages = [
      ['Old Wolf', 'Its author is Ada.'],
      ['Ada', 'She is an author.'],
    ].map(([title = '', text = '']) => ({ id: title, title, text, sentences: [text] }));
    const rollout = await runText({
      policy: new TextPolicy(serverOf(calls)),
      recipe: id,
      overrides: { retrieval: { source: 'local' } },
      retriever: retrieverOver(passages, []),
    });
    expect(rollout.segments.find(({ role }) => role === 'result')?.text).toBe(text);
    // What is read back out of its text is what was shown.
    const read = roundsOf(rollout).find(({ query }) => query?.text === 'author of Old Wolf');
    const titles = read?.passages.map(({ title, text }) => [title, text]);
    expect(titles).toEqual(passages.map((passage) => [passage.title, passage.text]));
  },
);

describe.each(PUBLISHED)(
  '$recipe speaks its published format',
  ({ recipe, result, calls, queries }) => {
    const OFF = { retrieval: { summarize: 'off' as const } };

    it('with thoughts, queries, results and the answer in their places', async () => {
      const backend = serverOf(calls);
      const rollout = await runText({ policy: new TextPolicy(backend), recipe, overrides: OFF });
      expect(faultsOf(rollout)).toEqual([]);
      expect(eventsOf(rollout, 'search').map(({ query }) => query)).toEqual(queries);
      expect(eventsOf(rollout, 'answer')).toMatchObject([{ text: 'Borfield', by: 'policy' }]);
      expect(rollout.metrics).toMatchObject({ em: 1, formatValid: true });
      const results = rollout.segments.filter(({ role }) => role === 'result');
      for (const { source, text, mask } of results) {
        expect([source, mask]).toEqual(['environment', 0]);
        expect(text.trimStart().startsWith(result[0])).toBe(true);
        expect(text.trimEnd().endsWith(result[1].trim())).toBe(true);
      }
      const sampled = rollout.segments.filter(({ source }) => source === 'policy');
      expect(sampled.map(({ text }) => text).join('')).toBe(calls.join(''));
      expect(sampled.every(({ mask }) => mask === 1)).toBe(true);
      expect(contextText(rollout)).not.toContain('<short_answer>');
    });

    it('and is made to answer in it where no search is left', async () => {
      const [first = '', second = ''] = calls;
      const end =
        recipe === 'react'
          ? ' Borfield]'
          : ['research', 'ur2', 'tool-star'].includes(recipe)
            ? ' Borfield}'
            : ' Borfield';
      const close =
        {
          'search-r1': '</answer>',
          'r1-searcher': '</answer>',
          research: '</answer>',
          'auto-refine': '</answer>',
          're-seek': '</answer>',
          'r-search': '</answer>',
          'in-forage': '</answer>',
          'tool-star': '</answer>',
          'deep-researcher': '</answer>',
        }[recipe] ?? '';
      const rollout = await runText({
        policy: new TextPolicy(serverOf([first, second, `${end}${close}`])),
        recipe,
        overrides: { retrieval: { summarize: 'off', maxSearches: recipe === 'self-ask' ? 2 : 1 } },
      });
      expect(rollout.answer).toBe('Borfield');
      expect(eventsOf(rollout, 'answer')[0]?.by).toBe('forced');
      expect(eventsOf(rollout, 'stop')[0]?.reason).toBe('max-searches');
    });

    it('keeps text of passages from being read as its tags', () => {
      const tags = readTags(byteTokenizer, [], getRecipe(recipe).settings.dialect);
      for (const mark of tags.texts.keys())
        if (mark.startsWith('<')) expect(tags.plain(`a ${mark} b`)).not.toContain(mark);
    });
  },
);

describe('loops in words', () => {
  it('IRCoT: a line is a thought and the next query, and the answer stands in a line', async () => {
    const rollout = await runText({
      policy: new TextPolicy(
        serverOf([
          'Old Wolf was written by Victor Kerlund.\n',
          'Victor Kerlund was born in Borfield.\n',
          'So the answer is: Borfield.',
        ]),
      ),
      recipe: 'ircot',
    });
    expect(eventsOf(rollout, 'search').map(({ query }) => query)).toEqual([
      'Old Wolf was written by Victor Kerlund.',
      'Victor Kerlund was born in Borfield.',
    ]);
    expect(rollout).toMatchObject({ answer: 'Borfield', metrics: { em: 1, searches: 3 } });
    expect(faultsOf(rollout)).toEqual([]);
  });

  it('SearChain: a correction goes back, and the chain is written anew', async () => {
    const chain = (author: string): string =>
      `[Query 1]: Who wrote Old Wolf?\n[Answer 1]: ${author}\n[Final Content]: Borfield`;
    const backend = serverOf([
      chain('Nora Vinford'),
      'Victor Kerlund',
      chain('Victor Kerlund'),
      ' Borfield} </short_answer>',
    ]);
    const rollout = await runText({ policy: new TextPolicy(backend), recipe: 'sear-chain' });
    const asides = eventsOf(rollout, 'aside');
    expect(asides.map(({ of }) => of)).toEqual(['chain', 'reading', 'chain']);
    expect(asides[2]?.prompt).toContain(
      'the answer to "Who wrote Old Wolf?" is Victor Kerlund, not Nora Vinford.',
    );
    expect(rollout.answer).toBe('Borfield');
  });

  it('ActiveRAG: four agents, each an extract and a revision; the vote is the answer', async () => {
    const agent = (answer: string): string[] => ['notes', answer];
    const calls = [
      'By memory: Mondria.',
      ...['Borfield', 'Mondria', 'Borfield', 'x'].flatMap(agent),
    ];
    const rollout = await runText({
      policy: new TextPolicy(serverOf(calls)),
      recipe: 'active-rag',
    });
    expect(eventsOf(rollout, 'aside').map(({ of }) => of)).toEqual([
      'draft',
      ...Array.from({ length: 4 }, () => ['role', 'revision']).flat(),
    ]);
    expect(eventsOf(rollout, 'answer')).toMatchObject([{ text: 'Borfield', by: 'vote' }]);
    const answer = rollout.segments.at(-1);
    expect(answer).toMatchObject({ role: 'answer', source: 'environment', mask: 0 });
  });

  it('RAT: draft, query, revision, and the last revision as the answer', async () => {
    const backend = serverOf([
      'Old Wolf is by Nora Vinford.\nNora Vinford was born in Borfield.',
      'author of Old Wolf',
      'Old Wolf is by Victor Kerlund.',
      'birth city of Victor Kerlund',
      ' Borfield} </short_answer>',
    ]);
    const rollout = await runText({ policy: new TextPolicy(backend), recipe: 'rat' });
    expect(eventsOf(rollout, 'aside').map(({ of }) => of)).toEqual([
      'draft',
      'query',
      'revision',
      'query',
    ]);
    expect(eventsOf(rollout, 'search').map(({ query }) => query)).toEqual([
      'author of Old Wolf',
      'birth city of Victor Kerlund',
    ]);
    expect(contextText(rollout)).toContain(
      'Draft so far: Old Wolf is by Victor Kerlund. Nora Vinford was born in Borfield.',
    );
    expect(rollout.answer).toBe('Borfield');
  });
});

it('FLARE says what is missing where a server gives no probabilities', async () => {
  const backend = new ScriptedBackend(() => [{ text: 'Old Wolf was written by someone.\n' }]);
  const rollout = await runText({ policy: new TextPolicy(backend), recipe: 'flare' });
  expect(eventsOf(rollout, 'error')[0]?.message).toMatch(/gives no probabilities.*logprobs/);
});

it('each dialect tells its own tags and the limit in force', () => {
  for (const { recipe } of PUBLISHED) {
    const { settings } = getRecipe(recipe);
    const told = instructionText({
      ...settings,
      retrieval: { ...settings.retrieval, maxSearches: 3 },
    });
    const { texts } = readTags(byteTokenizer, [], settings.dialect);
    const opening = [...texts].filter(([, { type }]) => type === 'open').map(([mark]) => mark);
    for (const mark of opening.filter((text) => text !== '<think>')) expect(told).toContain(mark);
    expect(told).toMatch(/\b3\b/);
  }
});

it('a plain answer may hold a box, and is not empty', () => {
  expect(readPlainAnswer(' \\boxed{ 1907 } ', false).answer).toBe('1907');
  expect(readPlainAnswer(': 1907.\nQuestion: more', true).answer).toBe('1907');
  expect(readPlainAnswer('  ', false)).toEqual({ answer: null, faults: ['the answer is empty'] });
});

it('without a dialect, tags are the protocol’s own', async () => {
  const calls = [
    '<think> a </think><search> author of Old Wolf </search>',
    '<think> b </think><short_answer> \\boxed{Borfield} </short_answer>',
  ];
  const rollout = await runText({
    policy: new TextPolicy(serverOf(calls)),
    recipe: 'search',
    retriever: retrieverOver(),
  });
  expect(rollout.metrics).toMatchObject({ em: 1, formatValid: true });
});

it('a worked example in the prompt is written in the format that it shows', async () => {
  const overrides = { dialect: 'worked-example', retrieval: { summarize: 'off' } } as const;
  const { settings } = getRecipe('search');
  const shown = instructionText({ ...settings, dialect: 'worked-example' });
  // What the model of the example writes: up to each result, and the answer.
  const example = shown.slice(shown.indexOf('<think> First'), shown.indexOf('\n\nNow answer'));
  const calls = example.split(/\n<result>.*<\/result>\n/);
  expect(calls).toHaveLength(3);
  const rollout = await runText({
    policy: new TextPolicy(serverOf(calls)),
    recipe: 'search',
    overrides,
  });
  expect(faultsOf(rollout)).toEqual([]);
  expect(eventsOf(rollout, 'search').map(({ query }) => query)).toEqual([
    'Pippi Longstocking author',
    'Astrid Lindgren born',
  ]);
  expect(eventsOf(rollout, 'answer')).toMatchObject([{ text: '14 November 1907', by: 'policy' }]);
  // Results come back as the example shows them.
  for (const { text } of rollout.segments.filter(({ role }) => role === 'result'))
    expect(text).toMatch(/^\n<result>[^]*<\/result>\n$/);
  // The prompt holds the example once, and the question after it.
  expect(contextText(rollout).split('author of Pippi Longstocking')).toHaveLength(2);
});
