import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readAdapterFolder } from '../../src/cli/shared/parts.ts';
import {
  adapterAt,
  adapterFolderOf,
  appendStep,
  createRun,
  loadDemonstrations,
  loadSnapshot,
  readRun,
  readRunAt,
  readSteps,
  resumeSnapshot,
  saveSnapshot,
  trimSteps,
  writeDemonstrations,
  writeRun,
  writeStartAdapter,
  type RunFile,
} from '../../src/cli/train/folder.ts';
import {
  loadStartAdapter,
  readStartAdapter,
  startFiles,
  withShapeOf,
} from '../../src/cli/train/run.ts';
import { initialState, isUntrained, type TrainState } from '../../src/learn/rl/state.ts';
import type { TrainStep } from '../../src/records/training.ts';
import { tinySettings, tinyWeights } from '../learn/rl/helpers.ts';

const run = mkdtempSync(join(tmpdir(), 'forage-folder-'));
afterAll(() => rmSync(run, { recursive: true, force: true }));

test('a step saved again leaves the snapshot in force whole until the new one is', () => {
  const { config } = tinyWeights();
  const file: RunFile = {
    format: 'forage.cli-run/6',
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
    format: 'forage.cli-run/6',
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
  // A run that goes back to step 1 and continues makes the others again.
  save(2);
  expect(at(1).router).toEqual({ step: 1 });
  rmSync(join(past, 'latest.json'));
  createRun(past, file);
  save(1);
  expect(() => at(2)).toThrow('it has those of 1.');
  rmSync(past, { recursive: true });
});

test('a run that learned nothing has no adapter', () => {
  const empty = mkdtempSync(join(tmpdir(), 'forage-nothing-'));
  const { config } = tinyWeights();
  const file: RunFile = {
    format: 'forage.cli-run/6',
    runId: 'run',
    settings: tinySettings(),
    device: 'wasm',
    policy: { folder: '/policy', id: 'untrained', revision: '0' },
    world: { folder: null, seed: 1 },
  };
  createRun(empty, file);
  const start = initialState(file.settings, config);
  for (const step of [1, 2, 3])
    saveSnapshot(empty, { ...start, step }, file, config, { past: true });
  const at = (step: number | null) => adapterAt({ run: empty, step }, () => undefined);
  expect(() => at(null)).toThrow(`${empty} had learned nothing by step 3: no step had a gradient`);
  expect(() => at(2)).toThrow('had learned nothing by step 2');
  expect(() => at(1)).toThrow('has no adapter of step 1');
  expect(readdirSync(adapterFolderOf(empty))).not.toContain('adapter_model.safetensors');
  const { noUpdate: _, ...trained } = start;
  saveSnapshot(empty, { ...trained, step: 4 }, file, config, { past: true });
  expect(readdirSync(at(null).folder)).toContain('adapter_model.safetensors');
  rmSync(empty, { recursive: true });
});

test('a run starts from the adapter of a folder or of a run, with its shape, and keeps a copy', async () => {
  const [past, next] = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'forage-start-')));
  const { config } = tinyWeights();
  const settings = tinySettings();
  const file: RunFile = {
    format: 'forage.cli-run/6',
    runId: 'run',
    settings,
    device: 'wasm',
    policy: { folder: '/policy', id: 'untrained', revision: '0' },
    world: { folder: null, seed: 1 },
  };
  createRun(past!, file);
  const { noUpdate: _, ...state } = initialState(settings, config);
  const adapter = state.adapter.map((value, i) => value + (i % 3));
  saveSnapshot(past!, { ...state, adapter, step: 2 }, file, config);
  const wider = { ...settings, adapter: { ...settings.adapter, rank: 2 * settings.adapter.rank } };
  for (const given of [past!, `${past}@2`, adapterFolderOf(past!)]) {
    const read = await readStartAdapter(config, given);
    expect(read.flat).toEqual(adapter);
    expect(withShapeOf(wider, read).adapter).toEqual(settings.adapter);
    createRun(next!, { ...file, startAdapter: given });
    writeStartAdapter(next!, startFiles(config, read));
    expect(await loadStartAdapter(next!, readRun(next!), config)).toEqual(adapter);
  }
  // The state of such a run is not one that learned nothing.
  expect(initialState(settings, config, adapter)).toMatchObject({ adapter, updates: 0 });
  expect(isUntrained(initialState(settings, config, adapter))).toBe(false);
  expect(await loadStartAdapter(past!, readRun(past!), config)).toBeNull();
  expect(() => readStartAdapter(config, `${past}-none`)).toThrow('is missing; --adapter takes');
  for (const folder of [past!, next!]) rmSync(folder, { recursive: true });
});

test('what the weights are held in is read back, and must be a type that there is', () => {
  const packed = mkdtempSync(join(tmpdir(), 'forage-packed-'));
  const file: RunFile = {
    format: 'forage.cli-run/6',
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
    format: 'forage.cli-run/6',
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

/** A run of four steps: snapshots of 3 and 4, adapters of 1 and 2. */
describe('damage', () => {
  const { config } = tinyWeights();
  const file: RunFile = {
    format: 'forage.cli-run/6',
    runId: 'run',
    settings: tinySettings(),
    device: 'wasm',
    policy: { folder: '/policy', id: 'untrained', revision: '0' },
    world: { folder: null, seed: 1 },
  };
  let run = '';
  let notices: string[] = [];
  const notice = (line: string): void => void notices.push(line);
  const at = (step: number | null) => adapterAt({ run, step }, notice);
  const flip = (...path: string[]): void => {
    const name = join(run, ...path);
    const bytes = readFileSync(name);
    bytes[bytes.length - 3]! ^= 1;
    writeFileSync(name, bytes);
  };
  const WEIGHTS = 'adapter_model.safetensors';
  const folderOf = (step: number): string => `step-00000${step}`;

  beforeEach(() => {
    run = mkdtempSync(join(tmpdir(), 'forage-damage-'));
    notices = [];
    createRun(run, file);
    const start = initialState(file.settings, config);
    for (const step of [1, 2, 3, 4]) {
      appendStep(run, { step, trainedTokens: 1 } as TrainStep);
      saveSnapshot(run, { ...start, step, router: { step } }, file, config, { past: true });
    }
  });
  afterEach(() => rmSync(run, { recursive: true, force: true }));

  test('nothing is said of a run without any', async () => {
    expect(resumeSnapshot(run, notice)?.step).toBe(4);
    trimSteps(run, 4, notice);
    for (const step of [1, 2, 3, 4, null]) await readAdapterFolder(config, at(step).folder);
    expect(notices).toEqual([]);
  });

  test('one bit of the newest adapter: the run is read and resumed from the one before', async () => {
    const damaged = join(run, folderOf(4));
    flip(folderOf(4), WEIGHTS);
    expect(at(null)).toEqual({ folder: join(run, folderOf(3)), router: { step: 3 } });
    expect(loadSnapshot(run, notice)?.step).toBe(3);
    const said = `${join(damaged, WEIGHTS)} does not match its hash; reading step 3`;
    expect(notices).toEqual([said, said]);
    expect(() => at(4)).toThrow(`${join(damaged, WEIGHTS)} does not match its hash`);
    await expect(readAdapterFolder(config, damaged)).rejects.toThrow('does not match its hash');
    // Whoever only reads writes nothing.
    expect(adapterFolderOf(run)).toBe(damaged);
    expect(resumeSnapshot(run, notice)?.step).toBe(3);
    expect(adapterFolderOf(run)).toBe(join(run, folderOf(3)));
  });

  test('one bit of both adapters: neither is read, and the run is resumed from its state', () => {
    for (const step of [3, 4]) flip(folderOf(step), WEIGHTS);
    expect(() => at(null)).toThrow(/step-000004.* does not match its hash, and .*step-000003/);
    expect(resumeSnapshot(run, notice)?.step).toBe(4);
    expect(notices[0]).toMatch(/the state of step 4 is whole, and training resumes from it$/);
    for (const step of [3, 4]) flip(folderOf(step), 'state.safetensors');
    expect(() => resumeSnapshot(run, notice)).toThrow(/does not match its hash.*from a copy/);
  });

  test('one bit of the adapter of an earlier step, by run and by folder', async () => {
    flip('adapters', folderOf(2), WEIGHTS);
    expect(() => at(2)).toThrow('does not match its hash; name another step');
    const by = (step: number) => readAdapterFolder(config, join(run, 'adapters', folderOf(step)));
    await expect(by(2)).rejects.toThrow('does not match its hash');
    await by(1);
    expect(at(1).router).toEqual({ step: 1 });
    flip('adapters', folderOf(1), 'router.json');
    expect(() => at(1)).toThrow('router.json does not match its hash');
  });

  const POINTERS: readonly (readonly [string, (text: string) => string])[] = [
    ['cut off', (text) => text.slice(0, 60)],
    ['empty', () => ''],
    ['zeros', (text) => '\0'.repeat(text.length)],
  ];

  test.each(POINTERS)('latest.json that is %s: the newest whole snapshot', (_, damage) => {
    const path = join(run, 'latest.json');
    const whole = readFileSync(path, 'utf8');
    writeFileSync(path, damage(whole));
    expect(at(null).folder).toBe(join(run, folderOf(4)));
    expect(notices[0]).toBe(`${path} is damaged; the newest whole snapshot is that of step 4`);
    expect(() => createRun(run, file)).toThrow('has a run already');
    expect(resumeSnapshot(run, notice)?.step).toBe(4);
    expect(readFileSync(path, 'utf8')).toBe(whole);
    // And with the newest one damaged as well.
    writeFileSync(path, damage(whole));
    flip(folderOf(4), 'state.safetensors');
    expect(resumeSnapshot(run, notice)?.step).toBe(3);
    writeFileSync(path, damage(whole));
    flip(folderOf(3), WEIGHTS);
    expect(() => at(null)).toThrow(`${path} is damaged, and no snapshot beside it is whole`);
  });

  test('latest.json that is missing, and one that names another step than the snapshot is of', () => {
    const path = join(run, 'latest.json');
    const whole = readFileSync(path, 'utf8');
    rmSync(path);
    expect(resumeSnapshot(run, notice)?.step).toBe(4);
    expect(notices).toEqual([`${path} is missing; the newest whole snapshot is that of step 4`]);
    writeFileSync(path, whole.replace('"step": 4', '"step": 5'));
    expect(resumeSnapshot(run, notice)?.step).toBe(3);
  });

  test('snapshots of a former run in the folder are not those of the next one', () => {
    rmSync(join(run, 'latest.json'));
    rmSync(join(run, 'steps.jsonl'));
    createRun(run, file);
    expect(resumeSnapshot(run, notice)).toBeNull();
  });

  test('lines of steps.jsonl that are lost are named, and those that are left stay', () => {
    const path = join(run, 'steps.jsonl');
    const [one, two, three, four] = readFileSync(path, 'utf8').split('\n');
    writeFileSync(path, [one, two?.slice(0, -1), three?.replace('{', '|'), four, ''].join('\n'));
    trimSteps(run, 4, notice);
    expect(readSteps(run).map(({ step }) => step)).toEqual([1, 4]);
    writeFileSync(path, `${two}\n`);
    trimSteps(run, 4, notice);
    rmSync(path);
    trimSteps(run, 4, notice);
    const lost = `from ${path}: charts and tables of the run lack`;
    expect(notices).toEqual([
      expect.stringContaining(`The records of steps 2 to 3 are lost ${lost} them`),
      expect.stringContaining(`The records of steps 1, 3 to 4 are lost ${lost} them`),
      expect.stringContaining(`The records of steps 1 to 4 are lost ${lost} them`),
    ]);
    expect(existsSync(path)).toBe(false);
  });

  test('what a kill leaves of a line, and steps after the snapshot, are nothing that is lost', () => {
    appendFileSync(join(run, 'steps.jsonl'), '{"step":5,"trainedTokens":1}\n{"ste');
    trimSteps(run, 4, notice);
    expect(readSteps(run).map(({ step }) => step)).toEqual([1, 2, 3, 4]);
    expect(notices).toEqual([]);
  });

  test('each changed character of settings.json is found', () => {
    const path = join(run, 'settings.json');
    const whole = readFileSync(path, 'utf8');
    let changed = 0;
    for (const { index } of whole.matchAll(/[\d.]/gu)) {
      const other = whole[index] === '1' ? '2' : '1';
      writeFileSync(path, whole.slice(0, index) + other + whole.slice(index + 1));
      // A changed format cannot be told from another version's.
      const isFormat = whole.slice(0, index).endsWith('forage.cli-run/');
      expect(() => readRun(run)).toThrow(
        `${path} is ${isFormat ? 'of another version of Forage' : 'damaged'}`,
      );
      changed += 1;
    }
    expect(changed).toBeGreaterThan(50);
    writeRun(run, { ...file, settings: { ...file.settings, steps: 9 } });
    expect(readRun(run).settings.steps).toBe(9);
  });

  test('one bit of the trajectories that a run learns from', () => {
    expect(loadDemonstrations(run)).toBeNull();
    writeDemonstrations(run, 'a\nb\n');
    expect(loadDemonstrations(run)).toBe('a\nb\n');
    flip('demonstrations.jsonl');
    expect(() => loadDemonstrations(run)).toThrow('demonstrations.jsonl does not match its hash');
  });
});
