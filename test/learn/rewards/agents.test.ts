import { describe, expect, it } from 'vitest';
import { estimateAdvantages } from '../../../src/learn/advantages.ts';
import { scoreRollout, totalReward } from '../../../src/learn/rewards/index.ts';
import { expectedLeft, narrowing } from '../../../src/systems/ar-bench/reward.ts';
import { banksOf, operations } from '../../../src/systems/memory-r1/bank.ts';
import { firstGiven, intermediate } from '../../../src/systems/interleaved/reward.ts';
import { graphReward, shortThought } from '../../../src/systems/med-r3/reward.ts';
import { recallReward, routingReward } from '../../../src/systems/r1-router/reward.ts';
import { verdictOf } from '../../../src/systems/fspo/reward.ts';
import { readFacts } from '../../../src/learn/rewards/parts/facts.ts';
import { applyBatchRewards, applyRewards } from '../../../src/learn/rl/scoring.ts';
import type { AgentEvent } from '../../../src/records/events.ts';
import type { FormBlock } from '../../../src/records/form-line.ts';
import type { Passage } from '../../../src/records/records.ts';
import type { FrozenAnswer, Rollout } from '../../../src/records/rollout.ts';
import { made } from './records.ts';

/** Hand-worked cases of the systems' specifications; the gold answer is Borfield. */

const passage = (title: string, text = title): Passage => ({
  id: title,
  title,
  text,
  sentences: [text],
});

/** One answered search for each list of passages, and these blocks after the last of them. */
function reading(
  results: readonly (readonly Passage[])[],
  blocks: readonly [FormBlock, string][] = [],
  more: Parameters<typeof made>[0] = {},
): Rollout {
  const base = made({ ...more, queries: results.map((_, i) => [`query ${i}`, 'answered']) });
  let at = 0;
  const events: AgentEvent[] = base.events.map((event) =>
    event.kind === 'retrieve'
      ? {
          ...event,
          hits: (results[at++] ?? []).map((one) => ({ passage: one, score: 1, source: 'local' })),
        }
      : event,
  );
  const last = events.findLastIndex(({ kind }) => kind === 'retrieve');
  const behind = blocks.map(([block, text]): AgentEvent => ({
    t: 0,
    kind: 'block',
    block,
    text,
    segment: 1,
  }));
  return { ...base, events: events.toSpliced(last + 1, 0, ...behind) };
}

const answered = (from: FrozenAnswer['from'], right: number): FrozenAnswer => ({
  from,
  answer: right === 1 ? 'Borfield' : 'Ulmfield',
  em: right,
  f1: right,
  holds: right,
});
const STEP = { subject: '', relation: '', title: '', passageId: '' };
const total = (rollout: Rollout, id: string): number => totalReward(scoreRollout(rollout, id));
const normal = (rewards: number[]): number[] =>
  [
    ...estimateAdvantages(
      'grpo',
      rewards,
      rewards.map(() => 0),
      rewards.map(() => 1),
    ),
  ].map((a) => Number(a.toFixed(4)));

describe('R-Search', () => {
  // Two of three tokens right: F1 0.67 after rounding needs 2 · 1 · (1/2) / (3/2).
  const quoted = reading([[passage('A')]], [['evidence', 'Borfield is it']], {
    answer: 'Borfield town',
  });
  it('pays formats, F1, and what the frozen policy answers from the evidence: 2.07', () => {
    expect(total({ ...quoted, frozen: [answered('evidence', 1)] }, 'r-search')).toBeCloseTo(
      2.07,
      12,
    );
  });
  it('needs no evidence without a search: 1.4', () => {
    expect(total(made({ queries: [] }), 'r-search')).toBeCloseTo(1.4, 12);
  });
  it('pays no evidence format without evidence behind a result, nor for two blocks of it', () => {
    expect(total(reading([[passage('A')]]), 'r-search')).toBeCloseTo(1.2, 12);
    const twice = reading(
      [[passage('A')]],
      [
        ['evidence', 'a'],
        ['evidence', 'b'],
      ],
    );
    expect(total(twice, 'r-search')).toBeCloseTo(1.2, 12);
  });
  it('normalises its group as worked', () => {
    expect(normal([2.07, 1.4, 0.4, 0.4, 0.2])).toEqual([1.4562, 0.6266, -0.6117, -0.6117, -0.8594]);
  });
});

describe('s3', () => {
  it.each([
    [1, 0, 1, 2],
    [1, 1, 0, 1],
    [0, 1, -1, -1],
    [0, 0, 0, 0],
  ])('accuracy %d, naive %d: gain %d, released %d', (own, naive, gain, released) => {
    const rollout = { ...made(), frozen: [answered('selected', own), answered('question', naive)] };
    expect(total(rollout, 's3')).toBe(gain);
    expect(total(rollout, 's3-released')).toBe(released);
  });
});

describe('ARENA', () => {
  const [A, X, B] = [passage('A'), passage('X'), passage('B')];
  const naming = (text: string, more: Parameters<typeof made>[0] = {}): Rollout => {
    const rollout = reading([[A, X, B]], [['relevance', text]], more);
    return { ...rollout, question: { ...rollout.question, supporting: ['A', 'B'] } };
  };
  it.each([
    ['all right', naming('1 , 3'), 13],
    ['one of two passages', naming('1'), 2.5],
    ['a wrong one beside them', naming('1 , 2 , 3'), 2.5],
    ['no passage that supports', naming('2'), 2],
    ['a number that no passage has', naming('1 , 3 , 9'), 2.5],
    ['wrong answer, right passages', naming('1 , 3', { answer: 'Ulmfield' }), 2],
    // The format wants one choice that can be read.
    ['words in place of numbers', naming('the first'), 1],
    ['malformed', naming('1 , 3', { malformed: true }), 2],
  ])('%s', (_, rollout, expected) => expect(total(rollout, 'arena')).toBe(expected));
  it('normalises its group as worked, with ε of 1e-4 in the fourth place', () => {
    const group = normal([13, 2.5, 1, 1, 1, 0, 2]);
    [2.2315, -0.095, -0.4273, -0.4273, -0.4273, -0.6489, -0.2057].forEach((a, i) =>
      expect(group[i]).toBeCloseTo(a, 3),
    );
  });
  it('as released calls it well formed whatever stands behind the answer', () => {
    const rollout = naming('1 , 3');
    const segment = rollout.segments.length - 1;
    const trailing: AgentEvent = {
      t: 9,
      kind: 'error',
      what: 'malformed',
      message: 'behind',
      segment,
    };
    const broken = { ...rollout, events: [...rollout.events, trailing] };
    expect([total(broken, 'arena'), total(broken, 'arena-released')]).toEqual([2, 13]);
    expect(total(naming('1 , 3', { malformed: true }), 'arena-released')).toBe(2);
  });
});

describe('Memory-R1', () => {
  it('pays what the frozen policy answers from the memory, whatever the policy answers itself', () => {
    const rollout = reading([[passage('A')]], [['memory', 'home is Borfield']], {
      answer: 'Ulmfield',
    });
    expect(total({ ...rollout, frozen: [answered('memory', 1)] }, 'memory-r1')).toBe(1);
    expect(total({ ...rollout, frozen: [answered('memory', 0)] }, 'memory-r1')).toBe(0);
    expect(total(rollout, 'memory-r1')).toBe(0);
  });
  it('tells operations by comparing banks', () => {
    const bank = 'home of A is Oslo . editor of B is C';
    expect(operations('home of A is Oslo', 'home of A is Bergen')).toEqual({
      add: 0,
      update: 1,
      delete: 0,
      keep: 0,
    });
    expect(operations(bank, 'editor of B is C . river is D')).toEqual({
      add: 1,
      update: 0,
      delete: 1,
      keep: 1,
    });
    expect(operations('', 'none')).toEqual({ add: 0, update: 0, delete: 0, keep: 0 });
  });

  const oslo = 'home of A is Oslo';
  const bergen = 'home of A is Bergen';
  const behind = (block: string): string[] =>
    banksOf([oslo, block].map((text) => ({ kind: 'memory', text })));
  it.each([
    // Its worked case: the bank says Oslo, and A has moved to Bergen.
    ['update', `update ${bergen}`, bergen, { add: 0, update: 1, delete: 0, keep: 0 }],
    ['noop', 'noop', oslo, { add: 0, update: 0, delete: 0, keep: 1 }],
    ['add', `add ${bergen}`, `${oslo} . ${bergen}`, { add: 1, update: 0, delete: 0, keep: 1 }],
    ['delete and add', `delete ${oslo} . add ${bergen}`, bergen, { add: 0, update: 1, delete: 0, keep: 0 }],
    ['delete', 'delete home of A', '', { add: 0, update: 0, delete: 1, keep: 0 }],
  ] as const)('applies %s where it is named, and tells it from the banks', (_, block, bank, told) => {
    expect(behind(block)).toEqual([oslo, bank]);
    expect(operations(oslo, bank)).toEqual(told);
  }); // prettier-ignore
  it('takes a block that names no operation alone as the bank itself', () => {
    expect(behind('none')).toEqual([oslo, 'none']);
    expect(behind(`${bergen} . noop`)).toEqual([oslo, `${bergen} . noop`]);
    expect(behind('update')).toEqual([oslo, oslo]);
  });
});

describe('Interleaved Reasoning', () => {
  it.each([
    [[1, null], 0.25, 0.25, 0],
    [[2, null], 0.25, 0.125, 0],
    [[1, 2], 0.5, 0.5, 0.5],
    [[null, null], 0, 0, 0],
  ])('first given at %j', (first, partial, discounted, all) => {
    expect(intermediate('partial', first)).toBe(partial);
    expect(intermediate('discounted', first)).toBe(discounted);
    expect(intermediate('all-or-none', first)).toBe(all);
  });

  const steps = ['Velor', 'Sanna', 'Borfield'].map((object) => ({ ...STEP, query: 'q', object }));
  const saying = (answer: string | null, malformed = false): Rollout => {
    const rollout = reading([[passage('A')]], [['summary', 'director is Velor']], {
      answer,
      malformed,
    });
    return { ...rollout, question: { ...rollout.question, chain: steps } };
  };
  it('finds where an object of the chain is first said; the last one is the answer', () => {
    const blocks = ['director is Velor', 'home is Sanna', 'x'].map((text, i) => ({
      kind: 'summary' as const,
      text,
      after: i,
      evidence: [],
    }));
    expect(firstGiven({ steps, blocks })).toEqual([1, 2]);
  });
  const stage = { steps: 1, reward: 'interleaved', weights: {} };
  const rewards = (before: number | null, reward = 'interleaved'): (number | null)[] => {
    const batch = [saying('Borfield'), saying('Ulmfield'), saying('Borfield', true)];
    applyRewards(batch, { ...stage, reward }, null, readFacts);
    applyBatchRewards(batch, { ...stage, reward }, before, readFacts);
    return batch.map(({ reward: sum }) => sum);
  };
  it('pays sub-answers where answer and format are right and more of the batch is right than before', () => {
    // Two of three are right: more than half, not more than two thirds.
    expect(rewards(0.5)).toEqual([3.25, -0.5, -1]);
    expect(rewards(2 / 3)).toEqual([3, -0.5, -1]);
    expect(rewards(null)).toEqual([3, -0.5, -1]);
  });
  it('not gated, pays them to everybody', () => {
    expect(rewards(1, 'interleaved-ungated')).toEqual([3.25, -0.25, -0.75]);
  });
  it('normalises its group as worked', () => {
    expect(normal([3.5, 3.25, -0.5, -1])).toEqual([0.9143, 0.8098, -0.7576, -0.9666]);
  });
});

describe('R1-Router', () => {
  it('pays likeness and source by half', () => {
    expect(routingReward(0.8, true)).toBeCloseTo(0.9, 12);
    expect(routingReward(0.8, false)).toBeCloseTo(0.4, 12);
  });
  it('takes a short answer whole or not at all, a long one by recall', () => {
    expect(recallReward('whale', ['blue whale'])).toBe(0);
    expect(recallReward('the blue whale', ['blue whale'])).toBe(1);
    expect(recallReward('one two three', ['one two three four five six'])).toBe(0.5);
    expect(recallReward('one two three', ['one two three four five six', 'x'])).toBe(0);
  });
  it('compares the source asked with where the nearest step has its passage', () => {
    const rollout = reading([[passage('A')]], [], { answer: 'Ulmfield' });
    const asking = (choice: 'local' | 'web'): number => {
      const at = rollout.events.findIndex(({ kind }) => kind === 'retrieve');
      const route: AgentEvent = {
        t: 0,
        kind: 'route',
        by: 'policy-tag',
        choice,
        probabilities: { local: 1, web: 0 },
        features: [],
        reward: null,
      };
      const question = {
        ...rollout.question,
        chain: [{ ...STEP, query: 'query 0', object: 'x', source: 'web' as const }],
      };
      return total(
        { ...rollout, question, events: rollout.events.toSpliced(at, 0, route) },
        'r1-router',
      );
    };
    expect([asking('web'), asking('local')]).toEqual([1, 0.5]);
  });
});

describe('Med-R³', () => {
  it('adds 0.8 times the mean likeness and takes up to a tenth for short thoughts', () => {
    expect(graphReward(0.5, 0.6, 0.4)).toBeCloseTo(0.4, 12);
    expect(shortThought(1)).toBeCloseTo(0.0269, 4);
    expect(1 + graphReward(0.5, 0.6, 0.4) - shortThought(1)).toBeCloseTo(1.3731, 4);
    expect(shortThought(5)).toBeCloseTo(4e-6, 6);
  });
  it('pays nothing for a broken format', () => {
    expect(total(made({ malformed: true }), 'med-r3')).toBe(0);
    expect(total(made(), 'med-r3')).toBeGreaterThan(0.9);
  });
});

describe('Posterior-GRPO', () => {
  const found = (answer: string, supporting: string[]): Rollout => {
    const rollout = reading([[passage('A'), passage('B'), passage('C')]], [], { answer });
    return { ...rollout, question: { ...rollout.question, supporting } };
  };
  // Three of five supporting titles are found.
  const five = ['A', 'B', 'C', 'D', 'E'];
  it('counts the reasoning only where the outcome is right', () => {
    expect(total(found('Borfield', five), 'posterior')).toBeCloseTo(2.6, 12);
    expect(total(found('Ulmfield', five), 'posterior')).toBe(1);
    expect(total(found('Ulmfield', five), 'posterior-ungated')).toBeCloseTo(1.6, 12);
  });
  it('pays 1.0 for a wrong answer with R_t of 0.9, which without the gate earns 1.9', () => {
    const titles = Array.from({ length: 10 }, (_, i) => `T${i}`);
    const rollout = reading([titles.slice(0, 9).map((title) => passage(title))], [], {
      answer: 'Ulmfield',
    });
    const nine = { ...rollout, question: { ...rollout.question, supporting: titles } };
    expect(total(nine, 'posterior')).toBe(1);
    expect(total(nine, 'posterior-ungated')).toBeCloseTo(1.9, 12);
  });
});

describe('AR-Bench', () => {
  it('prefers the ask that is expected to leave 4 of 8 candidates to the one that leaves 6.25', () => {
    expect(expectedLeft([4, 4])).toBe(4);
    expect(expectedLeft([7, 1])).toBe(6.25);
    // Reductions of 4 and 1.75, as shares of the 8.
    expect([narrowing([4, 4]) * 8, narrowing([7, 1]) * 8]).toEqual([4, 1.75]);
  });
  const asking = (asks: readonly string[], namesakes: number): Rollout => {
    const rollout = reading(
      [[passage('A')]],
      asks.map((text) => ['ask', text]),
    );
    const rivals = Array.from({ length: namesakes }, (_, i) => ({
      object: `other ${i}`,
      passageId: `p${i}`,
      why: 'namesake' as const,
    }));
    const chain = [{ ...STEP, query: 'q', object: 'x', rivals }];
    return { ...rollout, question: { ...rollout.question, type: 'underspecified', chain } };
  };
  it('pays an ask for the share of namesakes that it leaves out, once', () => {
    expect(total(asking(['which'], 1), 'ar-bench')).toBe(1.5);
    expect(total(asking(['which'], 3), 'ar-bench')).toBe(1.75);
    expect(total(asking(['which', 'which'], 3), 'ar-bench')).toBe(1.75);
    expect(total(asking(['', 'which'], 1), 'ar-bench')).toBe(1.5);
    expect(total(asking([], 3), 'ar-bench')).toBe(1);
    expect(totalReward(scoreRollout(asking(['which'], 1), 'ar-bench', { ask: 0 }))).toBe(1);
  });
  it('pays nothing for asking back where the question is clear', () => {
    const clear = asking(['which'], 1);
    const bridge = { ...clear, question: { ...clear.question, type: 'bridge' as const } };
    expect(total(bridge, 'ar-bench')).toBe(1);
    expect(total(asking(['which'], 0), 'ar-bench')).toBe(1);
  });
});

describe('FSPO', () => {
  const shown = [passage('Nightfall', 'Nightfall was directed by Velor Tamsin in 1931.')];
  it.each([
    ['director of Nightfall is Velor Tamsin . next Velor Tamsin birth city', 1],
    ['director of Nightfall is Sanna Rild', -1],
    ['so it is', 0],
  ])('"%s" is %d', (thought, verdict) => expect(verdictOf(thought, shown)).toBe(verdict));
  it('adds the mean verdict; as released the answer alone counts', () => {
    const rollout = reading([[passage('A', 'Velor Tamsin lives in Sanna Rild.')]], [], {
      thought: 'home of Velor Tamsin is Sanna Rild',
    });
    // Two thoughts: "plan" has nothing to verify, the other is stated.
    expect(total(rollout, 'fspo')).toBeCloseTo(1.5, 12);
    expect(total(rollout, 'fspo-released')).toBe(1);
  });
});
