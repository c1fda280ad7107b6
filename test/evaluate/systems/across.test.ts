import { describe, expect, it } from 'vitest';
import { compareEvaluations } from '../../../src/evaluate/systems/table/across.ts';
import { evaluationResult } from '../../fixtures/evaluations.ts';

const QUICK = { interval: { resamples: 200 } };

describe('two evaluations beside each other', () => {
  it('compare a system with itself question by question', async () => {
    const before = evaluationResult({ a: [1, 0, 0, 1], b: [1, 1, 0, 0] });
    const after = evaluationResult({ a: [1, 1, 1, 1], b: [1, 1, 0, 0] });
    const { questions, rows } = await compareEvaluations(before, after, QUICK);
    expect(questions).toBe(4);
    const em = (system: string) =>
      rows.find((row) => row.system === system)?.cells.find(({ measure }) => measure === 'em');
    // a: 2 of 4, then 4 of 4.
    expect(em('a')?.before?.mean).toBe(0.5);
    expect(em('a')?.after?.mean).toBe(1);
    expect(em('a')?.difference?.mean).toBe(0.5);
    expect(em('a')?.difference?.n).toBe(4);
    expect(em('b')?.difference?.mean).toBe(0);
    // Two systems are tested together: the smaller p counts twice.
    const { p = 0, adjusted = 0 } = em('a')?.difference ?? {};
    expect(p).toBeGreaterThan(0);
    expect(adjusted).toBeCloseTo(Math.min(1, 2 * p), 12);
    expect(em('b')?.difference?.adjusted).toBe(1);
    // Nobody judged.
    expect(rows[0]?.cells.find(({ measure }) => measure === 'judge')).toEqual({
      measure: 'judge',
      before: null,
      after: null,
      difference: null,
    });
  });

  it('leave out what one of them alone has, and say so', async () => {
    const before = evaluationResult({ a: [1, 0, 1], gone: [1, 1, 1] });
    const after = evaluationResult({ a: [0, 0], added: [1, 1] });
    const found = await compareEvaluations(before, after, QUICK);
    expect(found).toMatchObject({
      questions: 2,
      onlyBefore: 1,
      onlyAfter: 0,
      systemsBefore: ['GONE'],
      systemsAfter: ['ADDED'],
    });
    expect(found.rows.map(({ system }) => system)).toEqual(['a']);
    // Over q1 and q2 alone: 1 of 2, then 0 of 2.
    expect(found.rows[0]?.cells[0]?.before?.mean).toBe(0.5);
    expect(found.rows[0]?.cells[0]?.difference?.mean).toBe(-0.5);
  });

  it('take a question with other answers for another question', async () => {
    const before = evaluationResult({ a: [1] });
    const [question] = before.questions;
    const after = {
      ...before,
      questions: question ? [{ ...question, answers: ['Bergen'] }] : [],
    };
    const found = await compareEvaluations(before, after, QUICK);
    expect(found).toMatchObject({ questions: 0, onlyBefore: 1, onlyAfter: 1, rows: [] });
  });
});
