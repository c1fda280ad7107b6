import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { RunFile } from '../../../src/cli/train/folder.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import type { MadeStep } from '../../../src/records/training.ts';
import { labHere, type LabRun } from '../lab.ts';

// Rollouts of the built-in policy: seconds on an idle machine, more on a busy one.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

/** The headline system of each paper, trained whole by one command: a step, small. */

const folder = mkdtempSync(join(tmpdir(), 'forage-headline-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const small = ['questions=2', 'groupSize=2', 'dynamicSampling=null', 'heldOut.questions=1'];
const trained = (recipe: string, out: string, changes: string[], ...more: string[]) =>
  labHere(
    'train',
    `--recipe=${recipe}`,
    '--steps=1',
    '--threads=1',
    '--seed=3',
    '--json',
    `--out=${out}`,
    ...[...small, ...changes].flatMap((change) => ['--set', change]),
    ...more,
  );

describe('kunlun-baize', () => {
  test('warms up gold and noisy, then runs RDRA, STIE and a router that learns beside', async () => {
    const out = join(folder, 'kunlun');
    const warmUp = ['warmUp.own.rollouts=8', 'warmUp.length.updates=1', 'warmUp.batch=2'];
    // In the middle of (15), so that a step has both.
    const {
      status,
      err,
      out: printed,
    } = await trained('kunlun-baize', out, [...warmUp, 'curriculum.system.goldEpochs=2']);
    expect(err).toMatch(/Cold start: 1 of 1 updates on [1-9]\d* (?:gold|noisy)/);
    expect(status).toBe(0);
    const step = JSON.parse(printed) as MadeStep;
    expect(step.drawn).toEqual({ gold: 1, noisy: 1 });
    expect(step.router?.calls).toBeGreaterThanOrEqual(4);
    expect(step.stie?.queries).toBeGreaterThan(0);
    expect(step.stie?.answers).toBeGreaterThan(0);
    expect(Object.keys(step.reward.clauses)).toEqual(
      expect.arrayContaining(['format', 'length', 'accuracy']),
    );
    expect([step.heldOutAtStart?.n, step.heldOut?.n]).toEqual([1, 1]);
    // What the warm-up came to stays in the run's folder, and is said where the run is continued.
    const { before = [] } = JSON.parse(readFileSync(join(out, 'settings.json'), 'utf8')) as RunFile;
    expect(before.filter((line) => /^Cold start: 1 of 1 updates on [1-9]/.test(line))).toHaveLength(
      1,
    );
    expect(err).toContain(before[0]);
    const resumed = await labHere('train', '--resume', out, '--threads', '1', '--json');
    expect(resumed.status, resumed.err).toBe(0);
    for (const line of before) expect(resumed.err).toContain(`before its first step: ${line}`);
    expect(
      (JSON.parse(readFileSync(join(out, 'settings.json'), 'utf8')) as RunFile).before,
    ).toEqual(before);
  });
});

describe('ur2', () => {
  const out = join(folder, 'ur2');
  let run: LabRun;
  // The start that does not search takes tens of rollouts: it has its own tests.
  const changes = [
    'curriculum.system.pool=3',
    'curriculum.system.scoringRollouts=1',
    'start=searching',
  ];
  beforeAll(async () => {
    run = await trained('ur2', out, changes);
  });

  test('scores its pool, and its rollouts read summaries, whose fallbacks are counted', () => {
    expect(run.status).toBe(0);
    const step = JSON.parse(run.out) as MadeStep;
    expect(step.fallbacks).toBeGreaterThanOrEqual(0);
    expect(Object.keys(step.drawn ?? {}).join()).toMatch(/hard|medium|easy|dropped/);
    expect(Object.keys(step.reward.clauses)).toEqual(
      expect.arrayContaining(['format', 'retrieval', 'fallback']),
    );
    const record = JSON.parse(readFileSync(join(out, 'settings.json'), 'utf8')) as RunFile;
    // It is chosen where nobody is, as the page does, and said.
    expect(record.summarizer).toBe('extractive');
    expect(run.err).toContain(
      'rollouts of this run read summaries, written by the built-in extractive summarizer',
    );
  });

  test('is evaluated with the summarizer that it was trained with', async () => {
    // Its rewards are all equal, so that the other run learned nothing; supervision always has a gradient.
    const learned = join(folder, 'learned');
    const loss = 'stages.0.loss={"kind":"sft","weight":"uniform","gold":false}';
    const made = await trained('ur2', learned, [...changes, loss]);
    expect(made.status, made.err).toBe(0);
    const file = join(folder, 'evaluated.jsonl');
    const { status } = await labHere('evaluate', '--run', learned, '--limit', '2', '--out', file);
    expect(status).toBe(0);
    const events = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .flatMap((line) => (JSON.parse(line) as Rollout).events);
    const searches = events.filter(({ kind }) => kind === 'retrieve');
    expect(searches.length).toBeGreaterThan(0);
    expect(events.filter(({ kind }) => kind === 'summarize')).toHaveLength(searches.length);
  });
});
