import { describe, expect, it } from 'vitest';
import { DifficultyCurriculum } from '../../../src/systems/ur2/curriculum.ts';
import { params } from '../../../src/systems/ur2/system.ts';
import type { DrawnQuestion } from '../../../src/learn/rl/contracts.ts';
import { getTraining } from '../../../src/systems/index.ts';
import { scoreRollout, totalReward } from '../../../src/learn/rewards/index.ts';
import type { RewardId } from '../../../src/systems/rewards.ts';
import { eventsOf, faultsOf, QUESTION, run } from '../../agent/helpers.ts';

/**
 * UR²'s questions without retrieval, from the curriculum through the agent to the reward. What the
 * released reward servers pay there: 1 for a clean format and nothing for queries; a tool call is a
 * violation (reward_server_qwen_7b_math_rag_stage1.py, `is_retrieve == False`).
 */

/** Mixed by difficulty alone, whatever the question asks. */
const mixed = params.parse({ tasks: null, taskMixing: true, coldStart: 'all' });
const settings = getTraining('ur2/paper');

async function drawn(score: number): Promise<DrawnQuestion> {
  const curriculum = new DifficultyCurriculum(mixed, { settings, questions: [QUESTION], seed: 5 });
  const none = { hard: 0, medium: 0, easy: 0, dropped: 0, all: 0 };
  curriculum.restore({ scores: [score], drawn: none });
  const [first] = await curriculum.draw({ step: 1, count: 1 });
  return first!;
}

const ANSWER = '<think> done .</think><short_answer> \\boxed{ Borfield }</short_answer>';
const direct = { main: [ANSWER] };
const searching = {
  main: [
    '<think> plan .</think><search> author of Old Wolf</search>',
    ' Borfield }</short_answer>',
  ],
};

const rewardsOf = (rollout: Awaited<ReturnType<typeof run>>['rollout']) => (reward: RewardId) =>
  totalReward(scoreRollout(rollout, reward));

describe('stage 1 with `coldStart: all`, on a question whose search is disabled', () => {
  it.each([
    ['ur2-stage-1', 1, -1],
    ['ur2-stage-1-3b', 1, -1],
    ['ur2-stage-1-llama', 1, -1],
    ['ur2-stage-1-released', 1, 0],
    // Answer reward 2 from the beginning.
    ['ur2-stage-1-weak', 3, 2],
    ['ur2-stage-2', 3, 2],
    ['ur2-stage-2-released', 3, 2],
  ] as const)('%s pays %i for the right answer, %i where it searched', async (reward, ...paid) => {
    const { question } = await drawn(1);
    expect(question.mayRetrieve).toBe(false);
    const totals = await Promise.all(
      [direct, searching].map(async (script) => {
        const { rollout } = await run(script, { question });
        expect(rollout.answer).toBe('Borfield');
        return rewardsOf(rollout)(reward);
      }),
    );
    expect(totals).toEqual(paid);
  });

  it('a search is one fault of the format, and the answer is asked for', async () => {
    const { question } = await drawn(1);
    const { rollout } = await run(searching, { question });
    expect(faultsOf(rollout)).toEqual(['a search where none is allowed']);
    expect(rollout.metrics).toMatchObject({ formatValid: false, searches: 0, em: 1 });
    expect(eventsOf(rollout, 'stop')[0]).toMatchObject({ reason: 'max-searches' });
    const { evidence } = scoreRollout(rollout, 'ur2-stage-1').find((c) => c.clause === 'format')!;
    expect(evidence.map(({ segment }) => rollout.segments[segment]!.role)).toEqual(['search']);
  });

  it('no background is fetched, though the recipe has one', async () => {
    const { question } = await drawn(1);
    const recipe = 'kunlun-baize';
    const { rollout } = await run(direct, { recipe, question });
    expect(eventsOf(rollout, 'background')).toEqual([]);
    expect(rollout.segments.map(({ role }) => role)).not.toContain('background');
    const hard = await run({ main: [] }, { recipe });
    expect(eventsOf(hard.rollout, 'background')).toHaveLength(1);
  });

  it('the policy is told before it begins, by words that it was not the writer of', async () => {
    const { question } = await drawn(1);
    const { rollout } = await run(direct, { question });
    expect(rollout.segments.map((s) => `${s.source} ${s.role} ${s.mask}`)).toEqual([
      'prompt question 0',
      'prompt hint 0',
      'policy think 1',
      'policy answer 1',
    ]);
    expect(rollout.segments[1]!.text).toContain('no searches are left');
  });
});

describe('a record without the fault, as it was made before it was noted', () => {
  it.each([
    ['ur2-stage-1', -1],
    ['ur2-stage-1-released', 0],
  ] as const)('earns no more under %s', async (reward, paid) => {
    const { question } = await drawn(1);
    const { rollout } = await run(searching, { question });
    const events = rollout.events.filter((event) => event.kind !== 'error');
    expect(rewardsOf({ ...rollout, events })(reward)).toBe(paid);
  });
});

describe('where search is allowed, stage 1 is as it was', () => {
  it.each([
    ['ur2-stage-1', -1],
    ['ur2-stage-1-3b', -1],
    ['ur2-stage-1-released', -1],
  ] as const)('%s pays %i for an answer without a search', async (reward, paid) => {
    const { question } = await drawn(0.3);
    expect(question.mayRetrieve).toBeUndefined();
    const { rollout } = await run(direct);
    expect(rewardsOf(rollout)(reward)).toBe(paid);
    expect(rollout.segments.map(({ role }) => role)).not.toContain('hint');
  });
});
