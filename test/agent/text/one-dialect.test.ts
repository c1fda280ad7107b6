import { expect, it } from 'vitest';
import { instructionText } from '../../../src/agent/transcript/instruction.ts';
import { selectionsOf } from '../../../src/learn/rewards/parts/made.ts';
import { TextPolicy } from '../../../src/policy/remote/text-policy.ts';
import { getRecipe } from '../../../src/systems/index.ts';
import { contextText, eventsOf, faultsOf, LOCAL } from '../helpers.ts';
import { runText, serverOf } from './helpers.ts';

/** What one published format has alone. */

it('UR²: an answer without a box stands behind its phrase; a box counts before it', async () => {
  const answered = async (end: string) => {
    const calls = [
      '<think> The author. <|begin_of_query|> author of Old Wolf <|end_of_query|>',
      end,
    ];
    const rollout = await runText({
      policy: new TextPolicy(serverOf(calls)),
      recipe: 'ur2',
      overrides: { retrieval: { summarize: 'off' } },
    });
    return rollout.answer;
  };
  expect(await answered('So. </think> No. The correct answer is: Borfield.\nThat is all.')).toBe(
    'Borfield',
  );
  expect(await answered('The correct answer is: x. Rather \\boxed{Borfield}')).toBe('Borfield');
});

it('UR²: the prompt says how long a query may be, and where nothing may be searched', () => {
  const { settings } = getRecipe('ur2');
  const retrieval = { ...settings.retrieval, maxSearches: 0 };
  expect(instructionText(settings)).toContain('It has at most 19 words.');
  expect(instructionText(getRecipe('ur2-released').settings)).toContain('at most 20 words');
  expect(instructionText(settings)).not.toContain('cannot search');
  const without = instructionText({ ...settings, retrieval });
  expect(without).toContain('You cannot search.');
  expect(without).not.toContain('<|begin_of_query|>');
});

it('AutoRefine: what was refined is a block of its own', async () => {
  const calls = [
    '<think> Who? </think>\n<search> author of Old Wolf </search>',
    '<refine> It is by Victor Kerlund. </refine>\n<search> Victor Kerlund birth </search>',
    '<refine> Born in Borfield. </refine>\n<answer> Borfield </answer>',
  ];
  const rollout = await runText({ policy: new TextPolicy(serverOf(calls)), recipe: 'auto-refine' });
  expect(eventsOf(rollout, 'block').map(({ block, text }) => [block, text])).toEqual([
    ['refine', 'It is by Victor Kerlund.'],
    ['refine', 'Born in Borfield.'],
  ]);
});

it('ReSeek: what it judges of each result is a block of its own', async () => {
  const calls = [
    '<think> Who? </think>\n<search> author of Old Wolf </search>',
    '<judge> Yes </judge>\n<think> Born where? </think>\n<search> Victor Kerlund birth </search>',
    '<judge> Yes </judge>\n<answer> Borfield </answer>',
  ];
  const rollout = await runText({ policy: new TextPolicy(serverOf(calls)), recipe: 're-seek' });
  expect(eventsOf(rollout, 'block').map(({ block, text }) => [block, text])).toEqual([
    ['judge', 'Yes'],
    ['judge', 'Yes'],
  ]);
});

it('Tool-Star: what stands between <python> tags is reckoned, and answered as a search is', async () => {
  const calls = [
    '<think> Two years. </think> <python> 1931 - 1874 </python>',
    '<answer> \\boxed{57} </answer>',
  ];
  const rollout = await runText({ policy: new TextPolicy(serverOf(calls)), recipe: 'tool-star' });
  expect(eventsOf(rollout, 'block')).toMatchObject([
    { block: 'compute', text: '1931 - 1874', reply: '57' },
  ]);
  expect(rollout.segments.find(({ role }) => role === 'result')?.text).toBe(
    ' <result>\n 57\n</result>',
  );
  expect(rollout.answer).toBe('57');
});

it('DeepResearcher: a call that is no JSON, or of another tool, is an empty search', async () => {
  const calls = [
    '<think> Who? </think><tool_call> author of Old Wolf </tool_call>',
    '<think> Open it. </think><tool_call>{"name": "browse_webpage", "arguments": {"url_list": ["a.org"]}}</tool_call>',
    '<think> So. </think><answer> Borfield </answer>',
  ];
  const rollout = await runText({
    policy: new TextPolicy(serverOf(calls)),
    recipe: 'deep-researcher',
  });
  expect(faultsOf(rollout)).toEqual(['the search is empty', 'the search is empty']);
  expect(eventsOf(rollout, 'search')).toEqual([]);
  expect(rollout.answer).toBe('Borfield');
});

it('s3: the first result is given, queries are JSON, and choices are numbers between brackets', async () => {
  const calls = [
    '<search_complete> False </search_complete>\n<query>\n{\n  "query": "Victor Kerlund birth"\n}\n</query>',
    '<important_info>\n[1, 2]\n</important_info>\n<search_complete>\nTrue\n</search_complete>\n<answer> Borfield </answer>',
  ];
  const rollout = await runText({ policy: new TextPolicy(serverOf(calls)), recipe: 's3' });
  expect(faultsOf(rollout)).toEqual([]);
  expect(eventsOf(rollout, 'search').map(({ query }) => query)).toEqual(['Victor Kerlund birth']);
  expect(eventsOf(rollout, 'retrieve')).toHaveLength(2);
  expect(selectionsOf(rollout).map(({ chosen }) => chosen)).toEqual([null, [1, 2]]);
  expect(rollout.answer).toBe('Borfield');
});

it('ARENA: passages are given with numbers, the relevant ones are named, and the answer is analysed first', async () => {
  const calls = [
    '<relevance>\n[1]\n</relevance>\n\n<analysis>\n1 says so.\n</analysis>\n\n<answer>\nBorfield\n</answer>',
  ];
  const rollout = await runText({ policy: new TextPolicy(serverOf(calls)), recipe: 'arena' });
  expect(faultsOf(rollout)).toEqual([]);
  const given = rollout.segments.find(({ role }) => role === 'result')?.text;
  expect(given).toMatch(/^\n<references>\n\[1\] "/u);
  expect(selectionsOf(rollout).map(({ chosen }) => chosen)).toEqual([[1]]);
  expect(eventsOf(rollout, 'think').map(({ text }) => text)).toEqual(['1 says so.']);
  expect(rollout.answer).toBe('Borfield');
});

it('HRPO: passages are given, and the answer stands behind four hashes', async () => {
  const calls = ['It is by Victor Kerlund, who was born in Borfield.\n#### Borfield'];
  const rollout = await runText({ policy: new TextPolicy(serverOf(calls)), recipe: 'hrpo' });
  expect(faultsOf(rollout)).toEqual([]);
  expect(rollout.answer).toBe('Borfield');
  expect(contextText(rollout)).toContain('Context:');
});

it('ReAct: a look-up shows the next sentence of the page, and counts as a step', async () => {
  const calls = [
    'Thought: the book.\nAction: Search[Old Wolf]',
    'Thought: the year.\nAction: Lookup[came out]',
    'Action: Lookup[came out]',
    'Action: Finish[1931]',
  ];
  const rollout = await runText({ policy: new TextPolicy(serverOf(calls)), recipe: 'react' });
  expect(eventsOf(rollout, 'block').map(({ block, text, reply }) => [block, text, reply])).toEqual([
    ['lookup', 'came out', '(result 1 / 1) It came out in 1931.'],
    ['lookup', 'came out', 'no more results .'],
  ]);
  expect(rollout.answer).toBe('1931');
  const short = await runText({
    policy: new TextPolicy(serverOf([calls[0] ?? '', calls[1] ?? '', ' 1931]'])),
    recipe: 'react',
    overrides: { retrieval: { maxSearches: 1 } },
  });
  expect(eventsOf(short, 'stop')[0]?.reason).toBe('max-searches');
});

it('ReAct: a bracket in a thought ends nothing', async () => {
  const calls = [
    'Thought: the book [by whom]',
    ' is next.\nAction: Search[Old Wolf]',
    'Finish[1931]',
  ];
  const rollout = await runText({ policy: new TextPolicy(serverOf(calls)), recipe: 'react' });
  expect(faultsOf(rollout)).toEqual([]);
  expect(eventsOf(rollout, 'think')[0]?.text).toContain('the book [by whom] is next.');
  expect(eventsOf(rollout, 'search')).toMatchObject([{ query: 'Old Wolf' }]);
});

it('Search-o1: the policy extracts with its reasoning in view, beside its context', async () => {
  const backend = serverOf([
    'The author comes first.\n<|begin_search_query|>author of Old Wolf<|end_search_query|>',
    'Old Wolf was written by Victor Kerlund.',
    'He was born in Borfield, so \\boxed{Borfield}',
  ]);
  const rollout = await runText({ policy: new TextPolicy(backend), recipe: 'search-o1' });
  const [extract] = eventsOf(rollout, 'aside');
  expect(extract).toMatchObject({ of: 'extract', text: 'Old Wolf was written by Victor Kerlund.' });
  expect(extract?.prompt).toContain('Step 1: The author comes first.');
  expect(extract?.prompt).toContain(LOCAL[0]?.text);
  const result = rollout.segments.find(({ role }) => role === 'result');
  expect(result?.text.trim()).toBe(
    '<|begin_search_result|> Old Wolf was written by Victor Kerlund.<|end_search_result|>',
  );
  expect(rollout.metrics).toMatchObject({ em: 1, formatValid: true });
});
