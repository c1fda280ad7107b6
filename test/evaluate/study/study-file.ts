import type { Row } from '../../../src/evaluate/study/rows.ts';

/** A study file that may be run, as JSON; tests change it. */
export const studyJson = (change: Record<string, unknown> = {}): Record<string, unknown> => ({
  format: 'forage.study/1',
  name: 'small',
  question: 'Does it help?',
  train: { worlds: [{ seed: 11 }], seeds: [1, 2], steps: 3 },
  evaluate: {
    worlds: [{ seed: 9001 }, { seed: 9002 }],
    questions: 20,
  },
  arms: [
    { name: 'plain', recipe: 'search/grpo' },
    { name: 'more passages', recipe: 'search/grpo', loop: { retrieval: { k: 4 } } },
    { name: 'as it is', recipe: 'search', untrained: true },
  ],
  reference: 'plain',
  ...change,
});

export const row = (id: string, change: Partial<Row> = {}): Row => ({
  id,
  hops: 1,
  type: 'bridge',
  heldOut: 0,
  em: 0,
  f1: 0,
  recall: null,
  format: 1,
  searches: 2,
  webCalls: 1,
  tokens: 10,
  reward: null,
  latencyMs: null,
  routerReward: null,
  source: null,
  measures: {},
  ...change,
});
