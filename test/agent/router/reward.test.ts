import { describe, expect, it } from 'vitest';
import {
  COLLAPSE_RATIO,
  collapseText,
  paperOptimum,
  routeReward,
  RunningMean,
} from '../../../src/agent/router/reward.ts';

const call = { latencyMs: 50, meanWebLatencyMs: 200, newEvidenceShare: 0.5 };
const paper = { reward: 'paper' as const, beta1: 0.5, beta2: 0.5 };
const measured = { reward: 'measured' as const, beta1: 0.5, beta2: 2 };

describe('equations (20)–(22) as printed', () => {
  it('rewards local with 0.42 β1 and web with 0.35 β2, whatever the call brought', () => {
    expect(routeReward('local', paper, call)).toMatchObject({
      efficiency: 0.42,
      information: 0,
      total: 0.21,
    });
    expect(routeReward('web', paper, call)).toMatchObject({
      efficiency: 0,
      information: 0.35,
      total: 0.175,
    });
  });

  it('collapses to one action on either side of β1/β2 = 5/6', () => {
    expect(COLLAPSE_RATIO).toBeCloseTo(5 / 6, 12);
    expect(paperOptimum(0.84, 1)).toBe('local');
    expect(paperOptimum(0.83, 1)).toBe('web');
    expect(paperOptimum(5, 6)).toBe('tie');
  });

  it('has no word on asking both', () => {
    expect(routeReward('both', paper, call)).toBeNull();
  });
});

describe('the measured reward', () => {
  it('is the latency saved on the call and the evidence it brought', () => {
    // saved 1 − 50/200 = 0.75; 0.5 · 0.75 + 2 · 0.5 = 1.375
    expect(routeReward('local', measured, call)).toMatchObject({
      efficiency: 0.75,
      information: 0.5,
      total: 1.375,
    });
    // a slow web call costs: 1 − 500/200 = −1.5, held at −1
    expect(routeReward('web', measured, { ...call, latencyMs: 500 })?.efficiency).toBe(-1);
  });

  it('knows no saving before the first web call, and no information without gold', () => {
    const unknown = { latencyMs: 50, meanWebLatencyMs: null, newEvidenceShare: null };
    expect(routeReward('local', measured, unknown)).toMatchObject({
      efficiency: 0,
      information: 0,
      total: 0,
    });
  });

  it.each([
    // Against a mean of 200 ms; a mean of 0 says nothing.
    [0, 200, 1],
    [200, 200, 0],
    [400, 200, -1],
    [401, 200, -1],
    [50, 0, 0],
    [0, 1, 1],
  ])('a call of %i ms against a mean of %i saves %f', (latencyMs, meanWebLatencyMs, saved) => {
    const reward = routeReward('local', measured, {
      latencyMs,
      meanWebLatencyMs,
      newEvidenceShare: null,
    });
    expect(reward).toEqual({
      mode: 'measured',
      beta1: 0.5,
      beta2: 2,
      efficiency: saved,
      information: 0,
      total: 0.5 * saved,
    });
  });

  it.each([
    [0.84, 1, 'β1/β2 = 0.84 > 5/6: always local is best'],
    [0.2, 0.8, 'β1/β2 = 0.25 < 5/6: always web is best'],
    [5, 6, 'β1/β2 = 0.833 = 5/6: neither is preferred'],
    [1, 0, 'β1/β2 = ∞ > 5/6: always local is best'],
  ])('of β %f and %f in words: %s', (beta1, beta2, words) => {
    expect(collapseText({ beta1, beta2 })).toBe(words);
  });

  it('a running mean goes on from what was stored', () => {
    const mean = new RunningMean();
    mean.add(100);
    mean.add(300);
    expect(mean.state).toEqual({ sum: 400, count: 2 });
    const later = new RunningMean();
    later.restore(mean.state);
    later.add(200);
    expect(later.value).toBe(200);
    expect(later.state.count).toBe(3);
  });

  it('keeps a running mean of latencies', () => {
    const mean = new RunningMean();
    expect(mean.value).toBeNull();
    mean.add(100);
    mean.add(300);
    expect(mean.value).toBe(200);
  });
});
