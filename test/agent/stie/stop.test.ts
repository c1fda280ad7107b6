import { describe, expect, it } from 'vitest';
import {
  type AnswerMemory,
  answerTokens,
  stieStop,
  type StopRules,
} from '../../../src/agent/stie.ts';

const memory = (...answers: (readonly [string, number])[]): AnswerMemory => ({
  history: answers.map(([text, confidence]) => ({
    text,
    canonical: text.toLowerCase(),
    tokens: answerTokens(text, 'corrected'),
    confidence,
  })),
  counts: new Map(),
  blocked: new Set(),
});
const rules = (change: Partial<StopRules> = {}): StopRules => ({
  mode: 'corrected',
  tokens: 'sets',
  overlap: 'off',
  overlapThreshold: 0.75,
  minHistory: 2,
  confidence: false,
  epsilon: 0.01,
  newInformation: false,
  minNewInformation: 1,
  ...change,
});
const some = { entities: 3, facts: 2, idleRounds: 0, valid: true };
const reason = (m: AnswerMemory, r: StopRules, info = some): string | undefined =>
  stieStop(m, info, r)?.reason;

describe('stop rules', () => {
  it('above: stops once the mean overlap with history reaches the threshold', () => {
    const above = rules({ overlap: 'above' });
    // overlaps of "new york": 1 and 0.5, mean 0.75
    expect(reason(memory(['new york', -1], ['new delhi', -1], ['new york', -1]), above)).toBe(
      'stie-overlap',
    );
    // 0.5 and 0.5
    expect(
      reason(memory(['new delhi', -1], ['new delhi', -1], ['new york', -1]), above),
    ).toBeUndefined();
    expect(reason(memory(['oslo', -1], ['oslo', -1]), above)).toBeUndefined();
  });

  it('above: agreement on an answer without support is no convergence when corrected', () => {
    const agree = memory(['oslo', -1], ['oslo', -1], ['oslo', -1]);
    const stuck = { ...some, valid: false };
    expect(reason(agree, rules({ overlap: 'above' }), stuck)).toBeUndefined();
    expect(reason(agree, rules({ overlap: 'above', mode: 'paper' }), stuck)).toBe('stie-overlap');
  });

  it('literal: stops below the threshold, so at the first answer that differs', () => {
    const literal = rules({ overlap: 'literal' });
    expect(reason(memory(['oslo', -1], ['rome', -1]), literal)).toBe('stie-overlap');
    expect(reason(memory(['oslo', -1], ['oslo', -1]), literal)).toBeUndefined();
    expect(reason(memory(['oslo', -1]), literal)).toBeUndefined();
    // (6) has no value for an answer without words.
    expect(reason(memory(['oslo', -1], ['', -1]), literal)).toBeUndefined();
  });

  it('by mode: as printed in paper, the other way in corrected', () => {
    const differs = memory(['oslo', -1], ['oslo', -1], ['rome', -1]);
    const agrees = memory(['oslo', -1], ['oslo', -1], ['oslo', -1]);
    const corrected = rules({ overlap: 'by-mode' });
    const paper = rules({ overlap: 'by-mode', mode: 'paper' });
    expect([reason(differs, corrected), reason(agrees, corrected)]).toEqual([
      undefined,
      'stie-overlap',
    ]);
    expect([reason(differs, paper), reason(agrees, paper)]).toEqual(['stie-overlap', undefined]);
  });

  it('says which rule fired, with the numbers that it compared', () => {
    const literal = rules({ overlap: 'literal' });
    // {new, delhi} with {new, york, city}, then with {new, york}: 1/2 each.
    const cities = memory(['new york city', -1], ['new york', -1], ['new delhi', -1]);
    expect(stieStop(cities, some, literal)).toMatchObject({
      clause: { rule: 'overlap-below', value: 0.5, threshold: 0.75 },
      detail: expect.stringContaining('mean overlap 0.50 with 2 earlier answers, below 0.75'),
    });
    expect(reason(cities, rules({ overlap: 'above' }))).toBeUndefined();
    const certain = stieStop(memory(['oslo', 0]), some, rules({ confidence: true }));
    expect(certain?.clause).toEqual({ rule: 'confidence', value: 1, threshold: 0.99 });
    const nothing = { entities: 1, facts: 0, idleRounds: 2, valid: true };
    expect(stieStop(cities, nothing, rules({ newInformation: true }))?.clause).toEqual({
      rule: 'new-information',
      value: 1,
      threshold: 1,
    });
  });

  it('confidence: at least 1 − ε; as printed, 1 itself', () => {
    const corrected = rules({ confidence: true });
    expect(reason(memory(['oslo', Math.log(0.99)]), corrected)).toBe('stie-confidence');
    expect(reason(memory(['oslo', Math.log(0.98)]), corrected)).toBeUndefined();
    const paper = rules({ confidence: true, mode: 'paper' });
    expect(reason(memory(['oslo', Math.log(0.999)]), paper)).toBeUndefined();
    expect(reason(memory(['oslo', 0]), paper)).toBe('stie-confidence');
  });

  it('information: the first round without news as printed, the second in a row when corrected', () => {
    const information = rules({ newInformation: true });
    const round = memory(['oslo', -1]);
    const idle = (idleRounds: number) => ({ ...some, entities: 1, facts: 0, idleRounds });
    const printed = rules({ newInformation: true, mode: 'paper' });
    expect(reason(round, printed, idle(1))).toBe('stie-no-new-information');
    expect(reason(round, information, idle(1))).toBeUndefined();
    expect(reason(round, information, idle(2))).toBe('stie-no-new-information');
    expect(reason(round, printed, idle(0))).toBeUndefined();
  });
});
