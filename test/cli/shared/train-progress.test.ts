import { afterEach, expect, it, vi } from 'vitest';
import { stieCounts } from '../../../src/agent/stie-counts.ts';
import { TrainMeter } from '../../../src/cli/train/progress.ts';
import type { VerdictEvent } from '../../../src/records/events.ts';
import { getTraining } from '../../../src/systems/index.ts';
import { trainStep } from '../../fixtures/train-steps.ts';

afterEach(() => void vi.restoreAllMocks());

const linesOf = (work: () => void): string[] => {
  const lines: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  work();
  return lines;
};

const refused: VerdictEvent = {
  kind: 'verdict',
  t: 0,
  round: 2,
  over: 'query',
  mode: 'corrected',
  text: 'mayor of Wexburg',
  checks: [
    { lag: 1, against: 'mayor of Wexburg', overlap: 1, diff: 0, threshold: 0.25, passed: false },
  ],
  aggDiff: 0,
  valid: false,
  action: 'refused',
  reason: 'too like the query before',
  counts: {},
  blocked: [],
};

it('a step of a training tells which clauses of STIE fired, where it judged anything', () => {
  const meter = new TrainMeter(getTraining('kunlun-baize/whole'));
  const stie = stieCounts([refused]);
  expect(stie).not.toBeNull();
  const told = linesOf(() => meter.step({ ...trainStep(1), stie: stie! }));
  expect(told).toHaveLength(2);
  expect(told[1]).toBe('  STIE checked 1 query: 0 allowed, 1 refused as a repeat.\n');
});

it('a step tells how many results a summarizer failed at, and why', () => {
  const meter = new TrainMeter(getTraining('ur2/paper'));
  const unsummarized = { results: 3, because: 'The server failed (HTTP 500).' };
  expect(linesOf(() => meter.step({ ...trainStep(1), unsummarized }))[1]).toBe(
    '  3 of its results were not summarized, so their passages were read: The server failed (HTTP 500).\n',
  );
});

it('a step without STIE has one line', () => {
  const meter = new TrainMeter(getTraining('search/grpo'));
  expect(linesOf(() => meter.step(trainStep(1)))).toHaveLength(1);
});

it.each([
  [{ judged: 14, right: 0.5, notJudged: 2 }, 'judge 0.500 (14 of 16 judged)'],
  [{ judged: 0, right: null, notJudged: 16 }, 'judge no verdict (0 of 16 judged)'],
])('a held-out score says of how many answers a judge gave a verdict: %#', (verdicts, words) => {
  const meter = new TrainMeter(getTraining('search/grpo'));
  const rest = { by: 'j', agreement: null, kappa: null, tokens: 0, seconds: 0 };
  const heldOut = { n: 16, em: 0.25, f1: 0.3, recall: 1, searches: 2, formatValid: 1 };
  const step = { ...trainStep(1), heldOut: { ...heldOut, judge: { ...rest, ...verdicts } } };
  expect(linesOf(() => meter.step(step)).join('')).toContain(`held out EM 0.250, ${words}`);
});

it('a step without an update says why, and a run without one ends with what to change', () => {
  const meter = new TrainMeter({ ...getTraining('search/grpo'), steps: 1 });
  const step = { ...trainStep(1), em: 0, skipped: { why: 'equal-rewards' as const, reward: 0 } };
  const lines = linesOf(() => {
    meter.step(step);
    meter.end([step]);
  });
  expect(lines[0]).toContain('  No update: all 64 rewards were 0  ');
  expect(lines[0]).not.toContain('|g|');
  expect(lines[1]).toMatch(
    /^Nothing was learned: all 64 rewards were 0\. No answer was correct\./u,
  );
  expect(lines.at(-1)).toContain('none is written');
  expect(linesOf(() => meter.end([trainStep(1)]))).toEqual([]);
});
