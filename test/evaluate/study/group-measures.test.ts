import { describe, expect, test } from 'vitest';
import { groupMeasuresOf, type Group } from '../../../src/evaluate/study/measures/groups.ts';
import { groupRowOf } from '../../../src/evaluate/study/rows.ts';
import { readFacts } from '../../../src/learn/rewards/parts/facts.ts';
import type { AgentEvent } from '../../../src/records/events.ts';
import type { ForkPoint, Rollout } from '../../../src/records/rollout.ts';
import { made } from '../../learn/rewards/records.ts';

/** Hand-worked groups; the gold answer is Borfield, the supporting page A. */

const hit = (title: string) => ({
  passage: { id: title, title, text: `${title} .`, sentences: [] },
  score: 1,
  source: 'local' as const,
});

/** In place of a title: a query that is refused. */
const REFUSED = '-';

const ROUTE: AgentEvent = {
  t: 0,
  kind: 'route',
  by: 'policy-tag',
  choice: 'local',
  probabilities: { local: 1, web: 0 },
  features: [],
  reward: null,
};

/** A rollout whose searches bring these titles, in order. */
function rollout(id: string, brings: string[], answer: string, forks: ForkPoint[] = []): Rollout {
  const base = made({
    answer,
    queries: brings.map((title, i) => [
      `query ${id} ${i}`,
      title === REFUSED ? 'refused' : 'answered',
    ]),
  });
  let at = 0;
  const results = base.segments.flatMap(({ role }, i) => (role === 'result' ? [i] : []));
  return {
    ...base,
    id,
    question: { ...base.question, supporting: ['A'] },
    events: base.events.flatMap((event): AgentEvent[] => {
      if (event.kind !== 'retrieve') return [event];
      while (brings[at] === REFUSED) at++;
      const segment = results[at] ?? 0;
      return [ROUTE, { ...event, segment, hits: [hit(brings[at++] ?? '')] }];
    }),
    ...(forks.length > 0 && { forks }),
  };
}

/** It left another one after its first result. */
const behindFirst = (of: Rollout, opening?: string): ForkPoint => {
  const event = of.events.findIndex(({ kind }) => kind === 'retrieve') + 1;
  // Question, first thought, first search and its result.
  const tokens = of.segments.slice(0, 4).reduce((sum, { ids }) => sum + ids.length, 0);
  const changes = opening === undefined ? {} : { opening };
  return { rolloutId: of.id, event, tokens, seed: 0, settings: {}, changes };
};

const groupOf = (rollouts: Rollout[], branching?: Group['branching']): Group => ({
  rollouts,
  facts: rollouts.map(readFacts),
  branching,
  vocabulary: Math.round(Math.E ** 2),
});
const TREE = { id: 'tree-rpo', children: 2, depth: 2 } as const;
const ENTROPY = {
  id: 'arpo',
  start: 1,
  base: 0.5,
  slope: 0.5,
  when: 'drawn',
  tokens: 1,
  credit: 'soft',
} as const;

/** Rollouts that are right or not, each of which searched so often. */
const judged = (...made: [right: boolean, searches: number][]): Group => {
  const rollouts = made.map(([right, searches], i) =>
    rollout(
      `r${i}`,
      Array.from({ length: searches }, () => 'A'),
      right ? 'Borfield' : 'Ulm',
    ),
  );
  return { rollouts, facts: rollouts.map(readFacts), branching: undefined, vocabulary: 4 };
};

test('DeepDiver’s bonus is paid where a right one searched and none is right without', () => {
  const paid = (...made: [boolean, number][]) => groupMeasuresOf(judged(...made)).bonusPaid;
  expect(paid([true, 1], [false, 0])).toBe(1);
  expect(paid([true, 1], [true, 0])).toBe(0);
  expect(paid([false, 1], [false, 0])).toBe(0);
});

test('what SPEED-RL keeps: how the rest of a group lies beside the rollouts that screened it', () => {
  const lean = (...right: boolean[]) =>
    groupMeasuresOf(judged(...right.map((one): [boolean, number] => [one, 1]))).leanOfKept;
  // One half of the screening ones is right, and all of the rest: 0.5 − 0.
  expect(lean(true, false, true, true)).toBe(0.5);
  // A quarter of four, one half of the others: 0 − 0.25.
  expect(lean(true, false, false, false, true, true, false, false)).toBe(-0.25);
  // All that screen are right: the question is dropped.
  expect(lean(true, true, false, false)).toBeUndefined();
});

describe('a group that begins at the question', () => {
  const right = rollout('r', ['A', 'B'], 'Borfield');
  const wrong = rollout('w', ['B', 'C'], 'Ulmfield');

  test('is right or wrong as a whole, with the difference of its first queries', () => {
    expect(groupMeasuresOf(groupOf([wrong, wrong])).allWrong).toBe(1);
    expect(groupMeasuresOf(groupOf([right, wrong])).allWrong).toBe(0);
    expect(groupMeasuresOf(groupOf([right, wrong, wrong, wrong])).differentQueries).toBeCloseTo(
      1 / 3,
    );
    expect(groupMeasuresOf(groupOf([right])).differentQueries).toBeUndefined();
  });

  test('bounds the signal-to-noise ratio of its gradient by 4 n p (1 − p)', () => {
    const bound = (of: Rollout[]) => groupMeasuresOf(groupOf(of)).signalBound;
    expect(bound([right, wrong, wrong, wrong])).toBe(3);
    expect(bound([right, right])).toBe(0);
  });

  test("credits every search with its rollout's advantage", () => {
    // + for A and B of the right one, − for B and C of the wrong one: the pairs of A are 1/2, 1 and 1.
    expect(groupMeasuresOf(groupOf([right, wrong])).turnCredit).toBeCloseTo(2.5 / 3);
    // Equal rewards tell nothing apart.
    expect(groupMeasuresOf(groupOf([right, right])).turnCredit).toBe(0.5);
    // No search brought support, or all did.
    expect(groupMeasuresOf(groupOf([wrong, wrong])).turnCredit).toBeUndefined();
  });

  test('counts no query that was refused', () => {
    const refused = rollout('x', ['A', REFUSED], 'Borfield');
    expect(groupMeasuresOf(groupOf([refused, wrong])).callsMade).toBe(1.5);
    // Beside A, B and C of the other one, and nothing of its own.
    expect(groupMeasuresOf(groupOf([refused, wrong])).turnCredit).toBe(1);
  });

  test('makes every search itself', () => {
    expect(groupMeasuresOf(groupOf([right, wrong])).callsMade).toBe(2);
    expect(groupMeasuresOf(groupOf([right, wrong])).clonesRight).toBeUndefined();
    expect(groupMeasuresOf(groupOf([right, wrong])).branchRise).toBeUndefined();
  });
});

describe('a tree', () => {
  // a: A, then C, right. b leaves it after the first result: then B, wrong. c and d: as much, wrong.
  const a = rollout('a', ['A', 'C'], 'Borfield');
  const b = rollout('b', ['A', 'B'], 'Ulmfield', [behindFirst(a)]);
  const c = rollout('c', ['B', 'C'], 'Ulmfield');
  const d = rollout('d', ['B', 'B'], 'Ulmfield', [behindFirst(c)]);
  const tree = groupOf([a, b, c, d], TREE);

  test('makes shared searches once', () => {
    // Two each of a and c, one each of b and d.
    expect(groupMeasuresOf(tree).callsMade).toBe(1.5);
  });

  test('credits a search with what follows it on average', () => {
    // First searches: values 1/2 and 0, advantages 1 and −1. Second: a 1, b −1; c and d are alike: 0.
    // A (1) against B of c (−1), C of a (1), B of b (−1), c's (0) and d's (0): 1, 1/2, 1, 1, 1.
    expect(groupMeasuresOf(tree).turnCredit).toBeCloseTo(4.5 / 5);
    // By GRPO over the leaves a 1.5, the others −0.5: A 0.5 as the mean of a and b, C of a 1.5, all others −0.5: 1, 0, 1, 1, 1.
    expect(groupMeasuresOf(tree).turnCreditGain).toBeCloseTo(4.5 / 5 - 4 / 5);
    expect(groupMeasuresOf(groupOf([a, b, c, d])).turnCredit).toBeCloseTo(4 / 5);
    expect(groupMeasuresOf(groupOf([a, b, c, d])).turnCreditGain).toBeUndefined();
  });
});

test('rollouts that continue a wrong one are counted separately', () => {
  const wrong = rollout('w', ['B', 'C'], 'Ulmfield');
  const clones = ['Borfield', 'Ulmfield', 'Ulmfield', 'Ulmfield'].map((answer, i) =>
    rollout(`c${i}`, ['B', 'C'], answer, [behindFirst(wrong, 'that may be wrong')]),
  );
  const measures = groupMeasuresOf(groupOf([wrong, ...clones]));
  expect(measures.clonesRight).toBe(0.25);
  expect(measures.allWrong).toBe(0);
});

test('entropies rise at the results behind which a group branches', () => {
  /** Entropies of its policy segments: before, after the first result and after the second. */
  const withEntropies = (one: Rollout, values: number[]): Rollout => {
    let result = 0;
    return {
      ...one,
      segments: one.segments.map((segment) => {
        if (segment.role === 'result') result++;
        const entropy = values[result] ?? 0;
        return segment.mask === 1
          ? { ...segment, entropies: segment.ids.map(() => entropy) }
          : segment;
      }),
    };
  };
  // ΔH after the first and the second result, over ln 7: a 0.6 and 0.1, c 0.2 and 0.5; b left a after the first.
  const a = withEntropies(rollout('a', ['A', 'C'], 'Borfield'), [0.1, 0.7, 0.2]);
  const b = withEntropies(rollout('b', ['A', 'B'], 'Ulmfield', [behindFirst(a)]), [0.1, 0.9, 0.4]);
  const c = withEntropies(rollout('c', ['A', 'B'], 'Ulmfield'), [0.1, 0.3, 0.6]);
  const branched = groupMeasuresOf(groupOf([a, b, c], ENTROPY)).branchRise;
  expect(branched).toBeCloseTo((0.6 - 0.2) / Math.log(7));
  // One that rises with the turn alone does not rise at branches.
  const alike = [a, b, c].map((one) => withEntropies(one, [0.1, 0.4, 0.9]));
  expect(groupMeasuresOf(groupOf(alike, ENTROPY)).branchRise).toBeCloseTo(0);
  // Without a branch, or another result as late, there is nothing to compare.
  expect(groupMeasuresOf(groupOf([a, c], ENTROPY)).branchRise).toBeUndefined();
  expect(groupMeasuresOf(groupOf([a, b], ENTROPY)).branchRise).toBeUndefined();
});

test('a row of a group holds means over those that have a number', () => {
  const right = rollout('r', ['A'], 'Borfield');
  const wrong = rollout('w', ['B', 'C', 'B'], 'Ulmfield');
  const scored = (one: Rollout, em: number, searches: number): Rollout => ({
    ...one,
    metrics: {
      em,
      f1: em,
      cover_em: em,
      recall: em,
      searches,
      tokens: 10 * searches,
      formatValid: em === 1,
      seconds: 1,
    },
  });
  const rollouts = [scored(right, 1, 1), scored(wrong, 0, 3)];
  const options = {
    reward: null,
    webLatencyMs: 0,
    waveSeconds: null,
    branching: undefined,
    vocabulary: 7,
  };
  const row = groupRowOf(right.question, rollouts, {
    ...options,
    routerReward: { reward: 'measured', beta1: 0.2, beta2: 0.8 },
  });
  expect(row).toMatchObject({ em: 0.5, searches: 2, tokens: 20, format: 0.5, reward: null });
  // Searches that bring nothing new: none of one, three of three.
  expect(row.measures).toMatchObject({ barren: 0.5, calls: 2, allWrong: 0 });
});
