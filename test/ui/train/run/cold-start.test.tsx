import { expect, it } from 'vitest';
import type { ColdStartPoint } from '../../../../src/records/training.ts';
import { ColdStart } from '../../../../src/ui/train/run/ColdStart.tsx';
import { runRecord } from '../../../fixtures/train-runs.ts';
import { wordsIn, htmlOf } from '../../kit/render.tsx';

const point = (change: Partial<ColdStartPoint>): ColdStartPoint => ({
  format: 'forage.cold-start/1',
  update: 0,
  updates: 381,
  epoch: 0,
  at: '2026-01-01T00:00:00.000Z',
  loss: null,
  heldOutLoss: 2.9,
  answers: { n: 16, em: 0, f1: 0, recall: null, searches: 0, formatValid: 0 },
  tokens: 0,
  seconds: 0,
  evaluationSeconds: 9,
  ...change,
});

it('a run says how its cold start went, before it and now, and why it ended', () => {
  const last = point({
    update: 60,
    epoch: 0.157,
    loss: 0.412,
    heldOutLoss: 0.398,
    answers: { n: 16, em: 0.25, f1: 0.3, recall: 0.5, searches: 2.02, formatValid: 1 },
    tokens: 150_000,
    seconds: 3000,
    reached: true,
  });
  const shown = (coldStart: ColdStartPoint[]): string =>
    wordsIn(htmlOf(<ColdStart run={runRecord('a', { coldStart })} />));
  const words = shown([point({}), last]);
  expect(words).toContain('After 60 of 381 updates: epoch 0.16, loss 0.412, held-out loss 0.398');
  expect(words).toContain('format 100 %, searches 2.02, EM 0.250, F1 0.300, tokens/s 50.');
  expect(words).toMatch(/Before it: held-out loss 2\.900, format 0.*%, EM 0.*%/);
  expect(words).toContain('It ended because the format rate was reached.');
  expect(shown([])).toBe('');
});
