import { describe, expect, it } from 'vitest';
import type { Rollout } from '../../../src/records/rollout.ts';
import { scoreRollout, totalReward } from '../../../src/learn/rewards/index.ts';
import { hit, passage } from '../../fixtures/rollouts.ts';
import { made, read, written } from './records.ts';

/** KunLunBaizeRAG's reward by the form that the question asks for, (17) or (18), worked by hand. */

const PAGE = passage(
  'p',
  'Old Wolf',
  'Old Wolf was written by Victor Kerlund. Old Wolf appeared in 1931.',
);
const GOLD = ['Old Wolf was written by Victor Kerlund.', 'Old Wolf appeared in 1931.'];

/** A long answer of this prose to a question with a gold summary; `Borfield` is in the box and right. */
function long(prose: string, question: Partial<Rollout['question']> = { summary: GOLD }): Rollout {
  const base = made();
  const segments = [
    read('question', 'Describe it.'),
    written('think', '<think> done . </think>'),
    written('answer', `<long_answer> ${prose} \\boxed{ Borfield } </long_answer>`),
  ];
  return {
    ...base,
    question: { ...base.question, ...question },
    answer: 'Borfield',
    segments,
    events: [
      {
        t: 0,
        kind: 'background',
        mode: 'shown',
        query: 'q',
        hits: [hit(PAGE)],
        relevance: { meanSimilarity: null, termOverlap: 0, supportingRecall: null },
        latencyMs: 1,
      },
      { t: 1, kind: 'answer', text: 'Borfield', form: 'long', by: 'policy', segment: 2 },
      { t: 2, kind: 'stop', reason: 'answer', detail: '' },
    ],
  };
}

const clauses = (rollout: Rollout): Record<string, [value: number, weight: number]> =>
  Object.fromEntries(
    scoreRollout(rollout, 'kunlun-by-form').map((c) => [c.clause, [c.value, c.weight]]),
  );

describe('a question that wants a long answer', () => {
  it('pays the gold summary in full', () => {
    const rollout = long(GOLD.join(' '));
    // Accuracy: the box is right (1) and ROUGE-L is 1. Structure: the long tag, both statements supported.
    expect(clauses(rollout)).toMatchObject({ accuracy: [1, 0.6], structure: [1, 0.2] });
    expect(totalReward(scoreRollout(rollout, 'kunlun-by-form'))).toBeCloseTo(1, 12);
  });

  it('pays a sentence of nonsense for its tag and its box alone', () => {
    // ROUGE-L 0, so that accuracy is (1 + 0) / 2; no statement is supported.
    expect(clauses(long('Blah blah blah.'))).toMatchObject({
      accuracy: [0.5, 0.6],
      structure: [0.5, 0.2],
    });
  });

  it('pays half of the statements by half', () => {
    // Seven words of twelve in the gold: P 7/12 (5 are "Old Wolf won six prizes"), hits also old, wolf.
    const { structure } = clauses(
      long('Old Wolf was written by Victor Kerlund. Old Wolf won six prizes.'),
    );
    expect(structure).toEqual([0.75, 0.2]);
  });

  it('pays no structure to a short answer, whose prose says nothing of the summary', () => {
    const short: Rollout = { ...made(), question: { ...made().question, summary: GOLD } };
    expect(clauses(short)).toMatchObject({
      format: [0, 0.1],
      accuracy: [0.5, 0.6],
      structure: [0, 0.2],
    });
  });

  it('without a gold summary is accurate by its box', () => {
    expect(clauses(long('Blah blah.', { type: 'summary' }))).toMatchObject({ accuracy: [1, 0.6] });
  });
});

describe('a question that wants a short answer', () => {
  it('is paid by (17): what structure would have is accuracy’s', () => {
    expect(clauses(made())).toEqual({
      format: [1, 0.1],
      length: [1, 0.1],
      accuracy: [1, expect.closeTo(0.8, 12)],
    });
  });

  it('finds the long form a breach of the form', () => {
    expect(clauses(long('Prose.', {}))).toMatchObject({ format: [0, 0.1] });
  });
});
