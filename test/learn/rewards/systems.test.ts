import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../src/records/events.ts';
import type { Passage } from '../../../src/records/records.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import { scoreRollout, totalReward } from '../../../src/learn/rewards/index.ts';
import { rewardById } from '../../../src/learn/rewards/registry.ts';
import '../../../src/systems/rewards.ts';
import { decayAt } from '../../../src/systems/in-forage/reward.ts';
import { setF1 } from '../../../src/systems/deep-researcher/reward.ts';
import { readFacts } from '../../../src/learn/rewards/parts/facts.ts';
import { applyGroupRewards, applyRewards } from '../../../src/learn/rl/scoring.ts';
import { made } from './records.ts';

/** Hand-worked cases of published systems; the gold answer is Borfield. */

const passage = (title: string, text = title, noise?: Passage['noise']): Passage => ({
  id: title,
  title,
  text,
  sentences: [text],
  ...(noise && { noise }),
});

/** Searches that bring these passages, one list per search. */
const searching = (
  results: readonly (readonly Passage[])[],
  more: Parameters<typeof made>[0] = {},
  supporting: string[] = [],
): Rollout => {
  const rollout = made({ ...more, queries: results.map((_, i) => [`query ${i}`, 'answered']) });
  let at = 0;
  const events = rollout.events.map((event): AgentEvent => {
    if (event.kind !== 'retrieve') return event;
    const hits = (results[at++] ?? []).map((p) => ({
      passage: p,
      score: 1,
      source: 'local' as const,
    }));
    return { ...event, hits };
  });
  return { ...rollout, events, question: { ...rollout.question, supporting } };
};
const total = (rollout: Rollout, id: string): number => totalReward(scoreRollout(rollout, id));

const [a, b, c, x] = ['A', 'B', 'C', 'X'].map((title) => passage(title));
const all = [a!, b!, c!, x!] as const;
const [A, B, C, X] = all;

describe('InForage', () => {
  const gold = ['A', 'B', 'C'];
  it('adds a fifth of the best search: one of three, then two of three, is 0.1333', () => {
    expect(total(searching([[A], [B, C]], {}, gold), 'in-forage')).toBeCloseTo(1.1333, 4);
  });
  it('decays from turn 3 on by 0.95 to the last turn survived', () => {
    expect([0, 1, 2, 3, 4, 5].map(decayAt).map((d) => Number(d.toFixed(4)))).toEqual([
      1, 1, 1, 0.9025, 0.8574, 0.8145,
    ]);
    expect(total(searching([[A], [B, C], [X], [X]], {}, gold), 'in-forage')).toBeCloseTo(0.9717, 4);
  });
  it('counts no stale state of a gold page', () => {
    const stale = searching([[passage('A', 'old', 'stale')]], {}, gold);
    expect(total(stale, 'in-forage')).toBe(1);
  });
});

describe('β-GRPO', () => {
  const sure = (least: number, answer = 'Borfield'): Rollout => {
    const rollout = searching([[A]], { answer });
    const segments = rollout.segments.map((s) =>
      s.role === 'search'
        ? { ...s, logprobs: [Math.log(0.01), Math.log(least), Math.log(0.01)] }
        : s,
    );
    return { ...rollout, segments };
  };
  it('pays a right answer only where every token of every query is as likely as β, tags apart', () => {
    expect([0.62, 0.31].map((p) => total(sure(p), 'beta-grpo'))).toEqual([1, 0]);
    expect(total(sure(0.9, 'Ulmfield'), 'beta-grpo')).toBe(0);
  });
  it('calls an answer without a search sure', () => {
    expect(total(made({ queries: [] }), 'beta-grpo')).toBe(1);
  });
});

describe('DeepResearcher', () => {
  it('keeps articles: "the fox" for "fox" is 2/3', () => {
    expect(setF1('the fox', 'fox')).toBeCloseTo(0.6667, 4);
    expect(setF1('fox fox', 'Fox!')).toBe(1);
    expect(setF1('', 'fox')).toBe(0);
  });
  it('takes 1 for a broken format whatever the answer', () => {
    expect(total(made({ malformed: true }), 'deep-researcher')).toBe(-1);
    expect(total(made({ answer: null }), 'deep-researcher')).toBe(-1);
    expect(total(made({ answer: 'the Borfield' }), 'deep-researcher')).toBeCloseTo(0.6667, 4);
  });
});

describe('SmartRAG', () => {
  it('pays EM and F1 and takes 0.2 a search', () => {
    expect(total(searching([[A]]), 'smart-rag')).toBeCloseTo(1.8, 12);
    // EM 0, F1 2/3 of "Borfield town", two searches.
    expect(total(searching([[A], [B]], { answer: 'Borfield town' }), 'smart-rag')).toBeCloseTo(
      2 / 3 - 0.4,
      12,
    );
    expect(total(made({ queries: [], malformed: true, answer: null }), 'smart-rag')).toBe(-1);
  });
});

describe('StepSearch', () => {
  it('weighs gain less redundancy: (G1, x), (G1, G2) give 0.30 and 0', () => {
    const rollout = searching(
      [
        [A, X],
        [A, B],
      ],
      {},
      ['A', 'B'],
    );
    const steps = scoreRollout(rollout, 'step-search').filter(({ clause }) =>
      ['gain', 'redundancy'].includes(clause),
    );
    const [gain1 = 0, seen1 = 0, gain2 = 0, seen2 = 0] = steps.map(({ value }) => value);
    expect(gain1 + seen1).toBeCloseTo(0.3, 12);
    expect(gain2 + seen2).toBeCloseTo(0, 12);
    expect(total(rollout, 'step-search')).toBeCloseTo(1.3, 12);
  });
  it('is −1 without an answer', () => {
    expect(total(searching([[A]], { answer: null }, ['A']), 'step-search')).toBe(-1);
  });
});

describe('Med-R³, second stage', () => {
  it('is the share of gold titles of all searches together', () => {
    const gold = ['A', 'B', 'C'];
    expect(
      total(
        searching(
          [
            [A, X],
            [B, A],
          ],
          {},
          gold,
        ),
        'med-r3-stage-2',
      ),
    ).toBeCloseTo(0.6667, 4);
    expect(total(made({ queries: [] }), 'med-r3-stage-2')).toBe(0);
    expect(total(searching([[A]], { malformed: true }, gold), 'med-r3-stage-2')).toBe(0);
  });
});

describe('Search-R1 with format and retrieval', () => {
  const reading = (text: string, answer: string) =>
    total(searching([[passage('P', text)]], { answer }), 'search-r1-format-retrieval');
  it('adds 0.1 where the gold answer was read and the answer is wrong', () => {
    expect(reading('She lives in Borfield.', 'Ulmfield')).toBeCloseTo(0.3, 12);
    expect(reading('She lives in Ulmfield.', 'Ulmfield')).toBeCloseTo(0.2, 12);
    expect(reading('She lives in Borfield.', 'Borfield')).toBe(1);
  });
});

describe('Rewrite-retrieve-read, its rewriter', () => {
  const [hit, miss] = [passage('P', 'She lives in Borfield.'), passage('P', 'She lives.')];
  it('adds EM, F1 and a hit: 3, 1.5 or −1', () => {
    expect(total(searching([[miss], [hit]]), 'rewriter')).toBe(3);
    // One of three words is the gold's: F1 0.5.
    const half = searching([[hit]], { answer: 'Borfield town hall' });
    expect(total(half, 'rewriter')).toBeCloseTo(1.5, 12);
    expect(total(searching([[miss]], { answer: 'Ulmfield' }), 'rewriter')).toBe(-1);
  });
});

describe('DeepDiver', () => {
  const stage = { steps: 1, reward: 'deep-diver', weights: {} };
  const group = (...rollouts: Rollout[]): number[] => {
    applyRewards(rollouts, stage, null, readFacts);
    applyGroupRewards(rollouts, stage, readFacts);
    for (const { rewards, reward } of rollouts) expect(reward).toBe(totalReward(rewards));
    return rollouts.map(({ reward }) => reward ?? NaN);
  };
  const right = () => made();
  const wrong = () => made({ answer: 'Ulmfield' });
  const idle = () => made({ queries: [] });
  const idleWrong = () => made({ queries: [], answer: 'Ulmfield' });
  it('pays searching ones 1 more where nobody was right without a search', () => {
    expect(group(right(), right(), wrong(), idleWrong())).toEqual([3, 3, 1, 1]);
  });
  it('pays nobody more where one was', () => {
    expect(group(right(), right(), idle(), wrong())).toEqual([2, 2, 2, 1]);
  });
  it('is loose first: two thirds of F1 will do', () => {
    const nearly = made({ answer: 'Borfield town' });
    expect(total(nearly, 'deep-diver-loose')).toBe(2);
    expect(total(nearly, 'deep-diver')).toBe(1);
  });
});

describe('ReSeek', () => {
  /** Judgements of the searches, in order. */
  const judging = (rollout: Rollout, ...said: string[]): Rollout => {
    const events: AgentEvent[] = [];
    let at = 0;
    for (const event of rollout.events) {
      events.push(event);
      if (event.kind !== 'retrieve') continue;
      events.push({ t: 0, kind: 'block', block: 'judge', text: said[at++] ?? '', segment: 1 });
    }
    return { ...rollout, events };
  };
  it('pays 0.3 for each right judgement and takes 0.6 for a yes on a useless result', () => {
    const right = searching([[A], [X], [X]], {}, ['A', 'B']);
    // Yes on gold, no on nothing, yes on nothing; the answer is right: 1 + 0.3 + 0.3 − 0.6.
    expect(total(judging(right, 'yes', 'no', 'yes'), 're-seek')).toBeCloseTo(1, 12);
    const wrong = searching([[X]], { answer: 'Ulmfield' }, ['A']);
    expect(total(judging(wrong, 'yes'), 're-seek')).toBeCloseTo(-0.6, 12);
    // No on a useful result.
    expect(total(judging(searching([[A]], {}, ['A']), 'No'), 're-seek')).toBeCloseTo(0.7, 12);
  });
  it('calls gold that was read before useless', () => {
    const again = searching([[A], [A]], {}, ['A', 'B']);
    expect(total(judging(again, 'yes', 'no'), 're-seek')).toBeCloseTo(1.6, 12);
  });
});

describe('AutoRefine', () => {
  it('looks for the gold answer in refine blocks where there are some', () => {
    const base = searching([[A]], { answer: 'Ulmfield', thought: 'Borfield it is' });
    expect(total(base, 'autorefine')).toBeCloseTo(0.1, 12);
    // The block is in the segment of the first thought, which does not name it.
    const block: AgentEvent = { t: 0, kind: 'block', block: 'refine', text: 'plan', segment: 1 };
    expect(total({ ...base, events: [...base.events, block] }, 'autorefine')).toBe(0);
  });
});

/** The same question with a gold chain of one query. */
const planned = (rollout: Rollout, query: string): Rollout => ({
  ...rollout,
  question: {
    ...rollout.question,
    chain: [
      {
        query,
        object: 'x',
        source: 'web',
        subject: 'y',
        relation: 'z',
        title: 'Y',
        passageId: 'y',
      },
    ],
  },
});

describe('what menus say of these rewards', () => {
  it.each([
    ['in-forage', [0, 1.2], searching([[A, B, C]], {}, ['A', 'B', 'C'])],
    ['beta-grpo', [0, 1], made()],
    ['deep-researcher', [-1, 1], made()],
    ['smart-rag', [-1, 2], made({ queries: [] })],
    ['step-search', [-1, 2.218], planned(searching([[A, B]], {}, ['A', 'B']), 'query 0')],
    ['med-r3-stage-2', [0, 1], searching([[A]], {}, ['A'])],
    ['search-r1-format-retrieval', [0, 1], made()],
    ['rewriter', [-1, 3], searching([[passage('P', 'Borfield')]])],
  ] as const)('%s reaches its best and no more', (id, range, best) => {
    expect(rewardById(id)?.range).toEqual(range);
    expect(total(best, id)).toBeCloseTo(range[1], 12);
  });
});
