import { describe, expect, it, test } from 'vitest';
import type { Rollout, Segment } from '../../../src/records/rollout.ts';
import { answerScores } from '../../../src/agent/answers/scores.ts';
import { roundHalfEven } from '../../../src/base/statistics.ts';
import { formatValid } from '../../../src/agent/released.ts';
import { rescore } from '../../../src/evaluate/rollouts/rescore/rescore.ts';
import { scorerById } from '../../../src/evaluate/rollouts/rescore/scorers.ts';
import { scoreRollout, totalReward } from '../../../src/learn/rewards/index.ts';
import { readFacts, type RewardFacts } from '../../../src/learn/rewards/parts/facts.ts';
import type { RewardId } from '../../../src/systems/rewards.ts';
import { rewardById } from '../../../src/learn/rewards/registry.ts';
import '../../../src/systems/rewards.ts';
import { NORMALISER } from '../../../src/systems/arena/reward.ts';
import { setF1 } from '../../../src/systems/deep-researcher/reward.ts';
import { judgedByVerifier } from '../../../src/systems/verifier-pitfalls/define.ts';
import { emptyRollout } from '../../fixtures/rollouts.ts';
import { verl } from '../../fixtures/inspect/records.ts';
import { importOne } from '../../formats/rollouts/helpers.ts';
import { made, read, written } from './records.ts';

/** Rewards of policies that write a published format as text, worked by hand. The gold answer is Borfield. */

const spoken = (dialect: string, segments: Segment[], answer: string | null = null): Rollout => {
  const base = emptyRollout('r');
  return {
    ...base,
    recipe: { ...base.recipe, settings: { dialect } },
    question: { ...base.question, answers: ['Borfield'] },
    segments: [
      { ...read('instruction', 'Answer the question.'), source: 'prompt' },
      read('question', 'Where?'),
      ...segments,
    ],
    answer,
    events: [{ t: 1, kind: 'stop', reason: 'answer', detail: '' }],
  };
};
const total = (rollout: Rollout, reward: RewardId): number =>
  Number(totalReward(scoreRollout(rollout, reward)).toFixed(4));

const TAGS: [string, string][] = [
  ['search-r1', '<search>'],
  ['r1-searcher', '<|begin_of_query|>'],
  ['ur2', '<|begin_of_query|>'],
  ['deep-researcher', '<tool_call>'],
  ['s3', '<query>'],
  ['search-o1', '<|begin_search_query|>'],
  ['self-ask', 'Follow up:'],
];

test.each(TAGS)('the tags of %s that open a search are counted: %s', (dialect, tag) => {
  const { opened } = readFacts(
    spoken(dialect, [written('search', `a ${tag} q`), written('search', `${tag} r`)]),
  );
  expect(opened).toEqual([
    { segment: 2, start: 2, end: 2 + tag.length },
    { segment: 3, start: 0, end: tag.length },
  ]);
});

test('a tag that begins in the token before is one, and stands in the segment that it ends in', () => {
  const { opened } = readFacts(
    spoken('ur2', [written('think', 'a <|begin_of'), written('search', '_query|> q')]),
  );
  expect(opened).toEqual([{ segment: 3, start: 0, end: 8 }]);
});

const QUERY = '<|begin_of_query|> q <|end_of_query|>';
const documents = (text: string): Segment =>
  read('result', `\n\n<|begin_of_documents|>\n${text}\n<|end_of_documents|>\n\n`);

describe('stage 1 of UR² and R1-Searcher teaches a text policy to search', () => {
  const box = written('think', String.raw`It is \boxed{Borfield}.`);

  it('UR² pays 1 + 3 for one search, 1 + 4 for two, −1 for none', () => {
    const search = [written('search', QUERY), documents('x')];
    const reward = 'ur2-stage-1-released';
    expect(total(spoken('ur2', [...search, box], 'Borfield'), reward)).toBe(4);
    expect(total(spoken('ur2', [...search, ...search, box], 'Borfield'), reward)).toBe(5);
    expect(total(spoken('ur2', [box], 'Borfield'), reward)).toBe(-1);
  });

  it('R1-Searcher pays 1 + 0.5 + 0.5 for the right form, 1.5 without a search', () => {
    const end = written('answer', ' b </think><answer> Borfield </answer>');
    const search = [written('search', `<think> a ${QUERY}`), documents('(1)Title: X Text: x')];
    const reward = 'r1-searcher-stage-1-released';
    expect(total(spoken('r1-searcher', [...search, end], 'Borfield'), reward)).toBe(2);
    expect(total(spoken('r1-searcher', [end], 'Borfield'), reward)).toBe(1.5);
  });
});

describe('a fault of format costs what it costs in the released code', () => {
  const open = (dialect: string, text: string): Rollout =>
    spoken(dialect, [written('answer', text)], 'Borfield');
  // The loop takes an answer that the end of the turn closes; the released functions see none.
  const cut = '<think> a </think><answer> Borfield';
  test.each([
    ['search-r1', cut, 'search-r1', 0],
    // Without an answer the example of the prompt is one: wrong, and the format is broken.
    ['search-r1', cut, 'search-r1-format', 0.1],
    ['search-r1', '<answer> Borfield </answer>', 'search-r1-format', 0.8],
    ['search-r1', '<think> a </think><answer> Borfield </answer>', 'search-r1-format', 1],
    ['search-r1', cut, 'step-search', -1],
    ['research', String.raw`<answer> \boxed{Borfield} </answer>`, 'research', 0],
    ['tool-star', String.raw`<answer> \boxed{Borfield} </answer>`, 'tool-star', -1],
    ['deep-researcher', '<think> a <answer> Borfield </answer>', 'deep-researcher', -1],
    ['r1-searcher', ' a <answer> Borfield </answer>', 'r1-searcher-stage-2-released', -1],
    ['r1-searcher', ' a <answer> Borfield </answer>', 'r1-searcher-stage-2-instruct', 0],
    ['auto-refine', cut, 'autorefine', 0],
    ['r-search', '<answer> Borfield', 'r-search', 0.2],
  ] as [string, string, RewardId, number][])('%s %j: %s %d', (dialect, text, reward, wanted) => {
    expect(total(open(dialect, text), reward)).toBe(wanted);
  });

  it('and is none to a policy whose tags are tokens', () => {
    const rollout = made({});
    rollout.recipe.settings = { dialect: 'search-r1' };
    expect(total(rollout, 'search-r1-format')).toBe(1);
  });

  it('makes the output malformed, whatever the events say', () => {
    expect(formatValid(open('search-r1', '<answer> Borfield </answer>'))).toBe(false);
    expect(formatValid(open('search-r1', '<think> a </think><answer> x </answer>'))).toBe(true);
    // ReSeek has no released rule: its events count.
    expect(formatValid(open('re-seek', '<answer> Borfield </answer>'))).toBe(true);
  });
});

describe('ARENA’s exact match', () => {
  it('puts a space for punctuation', () => {
    const text = '<relevance>[]</relevance><analysis>a</analysis><answer>Jean-Paul Sartre</answer>';
    const rollout = spoken('arena', [written('answer', text)], 'Jean-Paul Sartre');
    rollout.question.answers = ['Jean Paul Sartre'];
    // 1 for the format, 1 for the answer.
    expect(total(rollout, 'arena-released')).toBe(2);
    expect(answerScores('U.S.', ['US'], NORMALISER).em).toBe(0);
    expect(answerScores('U.S.', ['US']).em).toBe(1);
  });
});

describe('F1 without a rule for yes and no', () => {
  const facts = (change: Partial<RewardFacts>): RewardFacts => ({
    ...readFacts(made({ queries: [], answer: 'yes, it is', golds: ['yes'] })),
    ...change,
  });
  const sum = (id: RewardId): number =>
    Number(totalReward(rewardById(id)!.clauses(facts({}), {})).toFixed(4));

  it('is StepSearch’s, R-Search’s and InForage’s: one of three words, F1 1/2', () => {
    expect([sum('step-search'), sum('in-forage')]).toEqual([0.5, 0.5]);
    // 0.2 for the answer and 0.2 for no evidence without a result.
    expect(sum('r-search')).toBe(0.9);
    expect([sum('f1'), sum('research')]).toEqual([0, 0.1]);
  });
});

test.each([
  [0.125, 2, 0.12],
  [0.375, 2, 0.38],
  [0.625, 2, 0.62],
  [-0.125, 2, -0.12],
  [2 / 3, 2, 0.67],
  // No double is 0.145: the nearest lies below it.
  [0.145, 2, 0.14],
  [0.035, 2, 0.04],
  [0.03125, 4, 0.0312],
  [6 / 7, 4, 0.8571],
  [1, 2, 1],
])('%d to %d places is %d, as Python rounds it', (value, places, wanted) => {
  expect(roundHalfEven(value, places)).toBe(wanted);
});

describe('DeepResearcher’s F1 of sets', () => {
  it('takes ASCII punctuation away, and cuts no word at a vowel sign', () => {
    expect(setF1('हिन्दी भाषा', 'हिन्दी')).toBeCloseTo(2 / 3, 12);
    expect(setF1('हिन्दी', 'हिन्द')).toBe(0);
    expect(setF1('«Guerre et Paix»', 'Guerre et Paix')).toBeCloseTo(1 / 3, 12);
    expect(setF1('1939–45', '1939-45')).toBe(0);
    expect(setF1('snake_case name', 'snake case name')).toBe(1);
  });
});

describe('a file that is scored again', () => {
  const again = async (output: string, scorer: string): Promise<number | null> => {
    const rollout = await importOne({ ...verl, output, gts: ['Borfield'] });
    return rescore(rollout, [scorerById(scorer)!])[0]!.total;
  };
  const box = String.raw`\boxed{Borfield}`;

  it('pays Tool-Star’s 0.1 for both tools', async () => {
    const call = '<think> a </think><search> q </search> <result>\nx\n</result>';
    const tool = '<python> 1 + 1 </python> <result>\n2\n</result>';
    expect(await again(`${call}${tool}<answer> ${box} </answer>`, 'tool-star')).toBeCloseTo(1.1);
    expect(await again(`${call}<answer> ${box} </answer>`, 'tool-star')).toBe(1);
  });

  it('gives UR²’s outputs without a search 3', async () => {
    expect(await again(`So it is ${box}.`, 'ur2-stage-2')).toBe(3);
    expect(await again(`So it is ${box}.`, 'ur2-stage-2-released')).toBe(3);
  });

  it('has no number where the file does not hold what the reward reads', async () => {
    const searched = `<think> a </think><search> q </search><information>x</information><think> b </think><answer> Borfield </answer>`;
    for (const id of ['step-search', 'in-forage', 'beta-grpo', 'med-r3-stage-2'])
      expect([id, await again(searched, id)]).toEqual([id, null]);
    const judged = searched.replace('<think> b', '<judge> Yes </judge><think> b');
    expect(await again(judged, 're-seek')).toBeNull();
    // Nothing was searched that a supporting passage could be among.
    expect(await again('<think> b </think><answer> Borfield </answer>', 'in-forage')).toBe(1);
  });

  it('tells a format by its results, whatever other tags the policy wrote', async () => {
    const output =
      '<think> a </think><information> Borfield </information><search> q </search><observation>x</observation>' +
      '<think> b </think><answer> Borfield </answer>';
    // 0.2 for the answer, F1 1; evidence is missing after a result.
    expect(await again(output, 'r-search')).toBeCloseTo(1.2, 12);
  });
});

test('a noisy verifier’s word stands where a release reads the same answer', () => {
  const text = '<think> a </think><answer> Rome </answer>';
  const facts = readFacts(spoken('search-r1', [written('answer', text)], 'Rome'));
  const fooled = judgedByVerifier(
    { kind: 'rule', f1From: null, falsePositive: 1, falseNegative: 0 },
    facts,
    0.5,
  );
  const em = (of: RewardFacts): number => totalReward(rewardById('search-r1')!.clauses(of, {}));
  expect([em(facts), em(fooled)]).toEqual([0, 1]);
});
