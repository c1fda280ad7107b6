import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pairsOf, pairTerm } from '../../../src/learn/supervised/dpo.ts';
import { trajectoryWeights } from '../../../src/learn/supervised/items.ts';

describe('direct preference optimisation', () => {
  it('of log-ratios +1 and −0.5 at β = 0.1: loss 0.621, coefficient 0.0463 on each', () => {
    const term = pairTerm(1, -0.5, { beta: 0.1, nll: 0 });
    expect(term.loss).toBeCloseTo(0.621, 3);
    expect(term.chosen).toBeCloseTo(0.0463, 4);
    expect(term.rejected).toBeCloseTo(-0.0463, 4);
  });

  it('begins at ln 2, and adds the likelihood of the chosen one to its own coefficient alone', () => {
    const term = pairTerm(0, 0, { beta: 0.5, nll: 0.25 });
    expect(term.loss).toBeCloseTo(Math.LN2, 12);
    expect(term.chosen).toBeCloseTo(0.25 + 0.25, 12);
    expect(term.rejected).toBeCloseTo(-0.25, 12);
  });

  it('has the coefficients that finite differences of its loss give', () => {
    const value = fc.double({ min: -40, max: 40, noNaN: true });
    const beta = fc.double({ min: 0.01, max: 2, noNaN: true });
    fc.assert(
      fc.property(value, value, beta, (chosen, rejected, b) => {
        const rule = { beta: b, nll: 0 };
        const loss = (c: number, r: number): number => pairTerm(c, r, rule).loss;
        const h = 1e-5;
        const term = pairTerm(chosen, rejected, rule);
        const byChosen = (loss(chosen + h, rejected) - loss(chosen - h, rejected)) / (2 * h);
        const byRejected = (loss(chosen, rejected + h) - loss(chosen, rejected - h)) / (2 * h);
        expect(term.chosen).toBeCloseTo(-byChosen, 6);
        expect(term.rejected).toBeCloseTo(-byRejected, 6);
      }),
    );
  });

  it('stays finite where a pair is told apart for sure, either way', () => {
    expect(pairTerm(1e5, -1e5, { beta: 1, nll: 0 })).toEqual({ loss: 0, chosen: 0, rejected: -0 });
    expect(pairTerm(-1e5, 1e5, { beta: 1, nll: 0 })).toEqual({
      loss: 2e5,
      chosen: 1,
      rejected: -1,
    });
  });
});

describe('pairs of siblings', () => {
  it('of rewards 1, 0, 0 are the first beside each other one', () => {
    expect(pairsOf([1, 0, 0], [0, 0, 0], { high: 1, low: 0 })).toEqual([
      { chosen: 0, rejected: 1 },
      { chosen: 0, rejected: 2 },
    ]);
  });

  it('leave out what lies between, and never cross questions', () => {
    // RAG-Gym: 1 / (1 + rank) of ten actions; above 0.75 one, below 0.5 eight.
    const ranked = Array.from({ length: 10 }, (_, rank) => 1 / (1 + rank));
    const pairs = pairsOf(
      ranked,
      ranked.map(() => 0),
      { high: 0.75, low: 0.499 },
    );
    expect(pairs.map(({ rejected }) => rejected)).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
    expect(pairsOf([1, 0], [0, 1], { high: 1, low: 0 })).toEqual([]);
  });
});

describe('weights of trajectories', () => {
  const of = (
    by: Parameters<typeof trajectoryWeights>[0],
    logs: readonly number[],
    right: readonly boolean[] = logs.map(() => true),
  ): number[] => [...trajectoryWeights(by, { groups: logs.map(() => 0), right, logs })];

  it("are ExSearch's shares of the gold answer's likelihood", () => {
    const [a, b] = of('likelihood', [-0.5, -2]);
    expect(a).toBeCloseTo(0.818, 3);
    expect(b).toBeCloseTo(0.182, 3);
    expect(of('likelihood', [-0.1, -0.1, -4]).map((x) => Number(x.toFixed(3)))).toEqual([
      0.495, 0.495, 0.01,
    ]);
  });

  it('as released prefer the worse one', () => {
    expect(of('released', [-0.5, -2]).map((x) => Number(x.toFixed(6)))).toEqual([0.2, 0.8]);
  });

  it('are 1 for the likeliest with CoRAG, and equal for the right ones with rejection', () => {
    expect(of('best', [-2.1, -0.3, -0.9])).toEqual([0, 1, 0]);
    expect(of('right', [-0.1, -0.1, -4], [true, false, false])).toEqual([1, 0, 0]);
    expect(of('right', [-1, -1], [false, false])).toEqual([0, 0]);
  });

  it('add up to 1 in every question by itself', () => {
    const weights = trajectoryWeights('likelihood', {
      groups: [0, 1, 0, 1],
      right: [true, true, true, true],
      logs: [-1, -900, -1, -900],
    });
    expect([...weights]).toEqual([0.5, 0.5, 0.5, 0.5]);
  });
});
