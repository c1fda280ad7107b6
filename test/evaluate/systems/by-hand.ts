import { present } from '../../../src/base/items.ts';
import type { EvaluatedRollout, EvaluationResult } from '../../../src/evaluate/systems/result.ts';
import type { SystemsTable } from '../../../src/evaluate/systems/table/shape.ts';

/** A result of an evaluation that is made by hand. */

export const system = (id: string, more: object = {}) => ({
  id,
  title: id.toUpperCase(),
  recipe: 'search',
  parts: [],
  policy: 'mini',
  published: null,
  signature: null,
  ...more,
});

export const question = (id: string, world: string, hops: number) => ({
  id,
  text: id,
  answers: ['x'],
  world,
  type: 'bridge',
  hops,
  source: 'local' as const,
});

export const rollout = (
  by: string,
  asked: string,
  em: number,
  more: Partial<EvaluatedRollout> = {},
): EvaluatedRollout => ({
  system: by,
  question: asked,
  seed: 1,
  rollout: `${by}-${asked}`,
  answer: 'x',
  em,
  f1: em,
  coverEm: em,
  judge: null,
  recall: null,
  searches: 1,
  webCalls: 0,
  tokens: 10,
  seconds: 1,
  formatValid: true,
  hopsFound: [],
  ...more,
});

/** World A has three questions, world B one. */
export const RESULT: EvaluationResult = {
  name: 'by hand',
  hash: 'h',
  systems: [system('a'), system('b')],
  questions: [
    question('a1', 'A', 1),
    question('a2', 'A', 2),
    question('a3', 'A', 2),
    question('b1', 'B', 2),
  ],
  seeds: [1, 2],
  rollouts: [
    // Two seeds of a on a1: one right, one wrong.
    rollout('a', 'a1', 1, { hopsFound: [true] }),
    rollout('a', 'a1', 0, { seed: 2, hopsFound: [false] }),
    rollout('a', 'a2', 0, { hopsFound: [true, false] }),
    rollout('a', 'a3', 1, { hopsFound: [true, true] }),
    rollout('a', 'b1', 0, { hopsFound: [false, true] }),
    rollout('b', 'a1', 1, { searches: 3 }),
    rollout('b', 'a2', 1, { searches: 3 }),
    rollout('b', 'a3', 1, { searches: 3 }),
    rollout('b', 'b1', 1, { searches: 3 }),
  ],
  planned: 10,
  failed: [{ system: 'b', question: 'a1', seed: 2, message: 'lost' }],
};

export const cell = (table: SystemsTable | undefined, row: string, measure: string) =>
  present(
    table?.rows.find((one) => one.system === row)?.cells.find((one) => one.measure === measure),
    'the cell',
  );
