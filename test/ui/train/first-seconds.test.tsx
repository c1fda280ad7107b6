import { beforeEach, expect, it } from 'vitest';
import type { LiveRollout } from '../../../src/lab/contract/training.ts';
import { RunView } from '../../../src/ui/train/run/RunView.tsx';
import { useTrain } from '../../../src/ui/train/store/train-store.ts';
import { runRecord } from '../../fixtures/train-runs.ts';
import { trainStep } from '../../fixtures/train-steps.ts';
import { htmlOf, valuesOf, wordsIn } from '../kit/render.tsx';

/** What a run shows before its first step is whole. */

const run = runRecord('a', { status: 'running', step: 0 });
const page = (): string => htmlOf(<RunView run={run} step={null} />, useTrain);
const rollout = (change: Partial<LiveRollout>): LiveRollout => ({
  id: 'r',
  runId: 'a',
  step: 1,
  of: 'step',
  groupId: 'a-1-0',
  question: 'Who wrote Old Wolf?',
  gold: 'Ada',
  answer: 'Ada',
  reward: 0.8,
  em: 1,
  searches: 2,
  tokens: 40,
  ...change,
});

beforeEach(() => {
  const first = useTrain.getInitialState();
  useTrain.setState({ ...first, status: 'ready', here: 'a', runs: [run] }, true);
});

it('what will stand on the page of a run stands there before its first step', () => {
  const before = page();
  expect(valuesOf(before, 'aria-label')).toContain('Charts to come');
  expect(wordsIn(before)).toContain('Charts to come');
  expect(valuesOf(before, 'data-chart')).toEqual([]);
  useTrain.setState({ steps: { a: [trainStep(1, 'a')] } });
  expect(valuesOf(page(), 'aria-label')).not.toContain('Charts to come');
  expect(valuesOf(page(), 'data-chart')).toContain('em');
});

it('held-out questions come first, then the rollouts of the first step, each as it ends', () => {
  const held = rollout({ of: 'held-out', step: 0, reward: null, groupId: 'a-held-out-0-0' });
  useTrain.setState({ live: { a: [held] } });
  expect(wordsIn(page())).toContain('Held-out questions, before the first step 1 question done');
  useTrain.setState({ live: { a: [rollout({}), rollout({ id: 's', em: 0, answer: 'Bo' })] } });
  expect(wordsIn(page())).toMatch(
    /Step 1 under way 2 rollouts done, mean reward 0\.8, EM 50\.0 % so far .*✓ Ada 0\.8 ?✗ Bo 0\.8/,
  );
  // Open, since there is nothing else to see yet.
  expect(page()).toMatch(/<details class="live-step" open=""/);
  expect(valuesOf(page(), 'data-chart')).toEqual([]);
});
