import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readExperiment } from '../../src/cli/parts/environment-experiment.ts';
import { openFolder } from '../../src/cli/shared/parts.ts';
import { folderRevision } from '../../src/cli/shared/checkpoint-folder.ts';
import {
  adapterFolderOf,
  createRun,
  saveSnapshot,
  type RunFile,
} from '../../src/cli/train/folder.ts';
import { initialState } from '../../src/learn/rl/state.ts';
import { getTraining } from '../../src/systems/index.ts';
import { labHere } from './lab.ts';

const out = mkdtempSync(join(tmpdir(), 'forage-export-'));
afterAll(() => rmSync(out, { recursive: true, force: true }));

const words = (text: string): string[] => text.split(' ');

const lines = (path: string): unknown[] =>
  readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);

test('a recipe becomes a folder that serve-environment reads and a shell can start', async () => {
  const folder = join(out, 'recipe');
  const run = await labHere(
    ...words('export --recipe search/grpo --to trl --steps 3 --set heldOut.questions=5'),
    ...words('--set heldOut.every=3 --max-context 512 --json --out'),
    folder,
  );
  expect(run).toMatchObject({ status: 0, err: '' });
  const told = JSON.parse(run.out) as { out: string; files: string[] };
  expect(told.out).toBe(folder);
  for (const file of told.files) expect(existsSync(join(folder, file))).toBe(true);
  expect(statSync(join(folder, 'check.sh')).mode & 0o111).toBe(0o111);
  expect(statSync(join(folder, 'train.py')).mode & 0o111).toBe(0);
  // Also checks the digests of tokenizer and questions against the files.
  const experiment = await readExperiment(join(folder, 'experiment.json'));
  expect(experiment.settings).toMatchObject({ steps: 3, preset: 'search/grpo' });
  expect(experiment.policy).toMatchObject({ maxContext: 512, vocabulary: 2304 });
  expect(lines(join(folder, 'train.jsonl'))).toHaveLength(3 * 8);
  const again = await labHere('export', '--recipe', 'search/grpo', '--to', 'trl', '--out', folder);
  expect(again).toMatchObject({ status: 2 });
  expect(again.err).toContain('is not empty; name an empty folder');
});

test.each([
  ['kunlun-baize/dapo', [], 'dynamicSampling', '--without dynamic-sampling'],
  ['ur2/paper', [], 'objective.estimator', 'whitened-grpo'],
  ['search/grpo', ['--set', 'overrides.sampling.topK=5'], 'overrides.sampling.topK', 'top-k'],
  ['search/grpo', ['--set', 'shuffleRewards=true'], 'shuffleRewards', ''],
  [
    'search/grpo',
    ['--set', 'objective.kl.place=reward', '--set', 'objective.kl.coefficient=0.1'],
    'objective.kl.place',
    '--without kl',
  ],
] as const)(
  '%s %j is refused by name, and nothing is written',
  async (recipe, more, setting, advice) => {
    const folder = join(out, 'refused');
    const run = await labHere(
      'export',
      '--recipe',
      recipe,
      ...more,
      '--to',
      'trl',
      '--out',
      folder,
    );
    expect(run).toMatchObject({ status: 2, out: '' });
    expect(run.err).toContain(`${setting}: `);
    expect(run.err).toContain(advice);
    expect(run.err.trim().split('\n')).toHaveLength(1);
    expect(existsSync(folder)).toBe(false);
  },
);

test('what is refused can be left out where that makes sense', async () => {
  const folder = join(out, 'without');
  const asked = ['export', '--recipe', 'kunlun-baize/dapo', '--to', 'trl', '--out', folder];
  expect(await labHere(...asked, '--without', 'search')).toMatchObject({ status: 2 });
  expect(await labHere(...asked, '--without', 'dynamic-sampling')).toMatchObject({ status: 0 });
  const { settings } = await readExperiment(join(folder, 'experiment.json'));
  expect(settings.dynamicSampling).toBeNull();
});

test('a run continues from its last snapshot, at its current learning rate', async () => {
  const checkpoint = await openFolder(undefined);
  const settings = { ...getTraining('search/grpo'), steps: 6 };
  const file: RunFile = {
    format: 'forage.cli-run/6',
    runId: 'mine',
    settings,
    device: 'wasm',
    policy: {
      folder: checkpoint.path,
      id: checkpoint.id,
      revision: await folderRevision(checkpoint),
    },
    world: { folder: null, seed: 20250619 },
  };
  const run = join(out, 'run');
  createRun(run, file);
  const early = await labHere('export', '--run', run, '--to', 'trl', '--out', join(out, 'early'));
  expect(early).toMatchObject({ status: 0 });
  expect(early.err).toContain('has no snapshot yet: the export starts where the run started');
  const state = {
    ...initialState(settings, checkpoint.config),
    step: 2,
    updates: 2,
    noUpdate: undefined,
    learningRate: 5e-4,
    curriculum: { drawn: 16 },
  };
  saveSnapshot(run, state, file, checkpoint.config);
  const folder = join(out, 'of-run');
  const asked = ['export', '--run', run, '--to', 'trl'];
  expect(await labHere(...asked, '--out', folder)).toMatchObject({ status: 0 });
  const experiment = await readExperiment(join(folder, 'experiment.json'));
  expect(experiment).toMatchObject({ runId: 'mine', run: { step: 2 }, curriculum: { drawn: 16 } });
  expect(experiment.settings.optimizer.learningRate).toBe(5e-4);
  expect(readFileSync(join(folder, 'adapter/adapter_model.safetensors'))).toEqual(
    readFileSync(join(adapterFolderOf(run), 'adapter_model.safetensors')),
  );
  expect(lines(join(folder, 'train.jsonl')).map((row) => (row as { draw: number }).draw)).toEqual(
    Array.from({ length: 32 }, (_, i) => 16 + i),
  );
  const done = await labHere(...asked, '--steps', '2', '--out', join(out, 'done'));
  expect(done).toMatchObject({ status: 2 });
  expect(done.err).toContain('steps: ');
  const named = await labHere(...asked, '--recipe', 'search', '--out', join(out, 'named'));
  expect(named.err).toContain('--run has its own recipe');
});
