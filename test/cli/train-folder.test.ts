import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import {
  adapterAt,
  adapterFolderOf,
  createRun,
  loadSnapshot,
  readRun,
  readRunAt,
  saveSnapshot,
  type RunFile,
} from '../../src/cli/train/folder.ts';
import { initialState, type TrainState } from '../../src/learn/rl/state.ts';
import { tinySettings, tinyWeights } from '../learn/rl/helpers.ts';

const run = mkdtempSync(join(tmpdir(), 'forage-folder-'));
afterAll(() => rmSync(run, { recursive: true, force: true }));

test('a step saved again leaves the snapshot in force whole until the new one is', () => {
  const { config } = tinyWeights();
  const file: RunFile = {
    format: 'forage.cli-run/1',
    runId: 'run',
    settings: tinySettings(),
    device: 'wasm',
    policy: { folder: '/policy', id: 'untrained', revision: '0' },
    world: { folder: null, seed: 1 },
  };
  createRun(run, file);
  expect(readRun(run)).toEqual(file);
  const start = initialState(file.settings, config);
  const save = (scores: number[]): void =>
    saveSnapshot(run, { ...start, curriculum: { scores } }, file, config);
  const loaded = (notices: string[] = []): TrainState | null =>
    loadSnapshot(run, (line) => void notices.push(line));
  for (const scores of [[1], [1, 0], [1, 0, 1], [1, 0, 1, 1]]) {
    const before = scores.length > 1 ? adapterFolderOf(run) : null;
    const kept = before && readFileSync(join(before, 'state.json'), 'utf8');
    save(scores);
    // The one that a crash while writing would have left.
    if (before) expect(readFileSync(join(before, 'state.json'), 'utf8')).toBe(kept);
    expect(loaded()?.curriculum).toEqual({ scores });
  }
  writeFileSync(join(adapterFolderOf(run), 'state.json'), 'damaged');
  const notices: string[] = [];
  expect(loaded(notices)?.curriculum).toEqual({ scores: [1, 0, 1] });
  expect(notices).toHaveLength(1);
});

test('adapters of earlier steps stay, with their routers, until the steps are made again', () => {
  const past = mkdtempSync(join(tmpdir(), 'forage-past-'));
  const { config } = tinyWeights();
  const file: RunFile = {
    format: 'forage.cli-run/1',
    runId: 'run',
    settings: tinySettings(),
    device: 'wasm',
    policy: { folder: '/policy', id: 'untrained', revision: '0' },
    world: { folder: null, seed: 1 },
  };
  createRun(past, file);
  const start = initialState(file.settings, config);
  const save = (step: number): void =>
    saveSnapshot(past, { ...start, step, router: { step } }, file, config, { past: true });
  const at = (step: number) => adapterAt({ run: past, step }, () => undefined);
  for (const step of [1, 2, 3, 4]) save(step);
  expect([1, 2, 3, 4].map((step) => at(step).router)).toEqual(
    [1, 2, 3, 4].map((step) => ({ step })),
  );
  for (const step of [1, 2, 3, 4])
    expect(readdirSync(at(step).folder)).toContain('adapter_model.safetensors');
  expect(() => at(5)).toThrow('it has those of 1, 2, 3, 4');
  expect(adapterAt(readRunAt(`${past}@2`), () => undefined)).toEqual(at(2));
  expect(adapterAt(readRunAt(past), () => undefined)).toEqual(at(4));
  // A run that goes back to step 1 and goes on makes the others again.
  save(2);
  expect(at(1).router).toEqual({ step: 1 });
  rmSync(join(past, 'latest.json'));
  createRun(past, file);
  save(1);
  expect(() => at(2)).toThrow('it has those of 1.');
  rmSync(past, { recursive: true });
});

test('what the weights are held in is read back, and must be a type that there is', () => {
  const packed = mkdtempSync(join(tmpdir(), 'forage-packed-'));
  const file: RunFile = {
    format: 'forage.cli-run/1',
    runId: 'run',
    settings: tinySettings(),
    device: 'wasm',
    policy: { folder: '/policy', id: 'untrained', revision: '0+int4', weights: 'int4' },
    world: { folder: null, seed: 1 },
  };
  createRun(packed, file);
  expect(readRun(packed).policy.weights).toBe('int4');
  const path = join(packed, 'settings.json');
  writeFileSync(path, readFileSync(path, 'utf8').replace('"int4"', '"int3"'));
  expect(() => readRun(packed)).toThrow('damaged');
  rmSync(packed, { recursive: true });
});

test('what contexts are held in is read back; a run that says nothing has them in float32', () => {
  const folder = mkdtempSync(join(tmpdir(), 'forage-halves-'));
  const policy = { folder: '/policy', id: 'untrained', revision: '0' };
  const file = (keys?: 'f16'): RunFile => ({
    format: 'forage.cli-run/1',
    runId: 'run',
    settings: tinySettings(),
    device: 'webgpu',
    policy: { ...policy, ...(keys && { keys }) },
    world: { folder: null, seed: 1 },
  });
  createRun(join(folder, 'one'), file('f16'));
  expect(readRun(join(folder, 'one')).policy.keys).toBe('f16');
  createRun(join(folder, 'other'), file());
  expect(readRun(join(folder, 'other')).policy).toEqual(policy);
  rmSync(folder, { recursive: true });
});
