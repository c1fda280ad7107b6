import { describe, expect, it } from 'vitest';
import { exportFolder } from '../../../src/handover/export/export-folder.ts';
import type { Trainer } from '../../../src/handover/export/parts/experiment.ts';
import { readBundledFile } from '../../../src/handover/files/bundled.ts';
import { changed, tinySource } from './source.ts';

/** The command that a README proposes is one that its trainer takes. */

interface Sizes {
  questions: number;
  groupSize: number;
  updates: number;
  /** Exactly this many rollouts in a micro-batch (token-mean). */
  microBatch?: number;
}

async function textOf(to: Trainer, path: string, sizes: Sizes): Promise<string> {
  const { microBatch = null, ...step } = sizes;
  const settings = changed('search/grpo', {
    ...step,
    steps: 2,
    objective: { aggregation: microBatch === null ? 'token-mean' : { microBatch } },
  });
  const files = await exportFolder(tinySource(settings), to, { read: readBundledFile });
  return String(files.find((file) => file.path === path)?.content);
}

describe('processes of the README for TRL', () => {
  // By hand, of `layout` in train.py: rollouts over updates · processes is whole, and micro-batches divide it.
  it.each<[string, Sizes, number]>([
    ['64 rollouts', { questions: 8, groupSize: 8, updates: 1 }, 8],
    ['4: no more than 4', { questions: 1, groupSize: 4, updates: 1 }, 4],
    ['8 in two updates of 4', { questions: 2, groupSize: 4, updates: 2 }, 4],
    ['12: 4 each 3, not 8', { questions: 3, groupSize: 4, updates: 1 }, 4],
    ['6: 2, a power of two, before 6', { questions: 3, groupSize: 2, updates: 1 }, 2],
    ['15: no even number; 5', { questions: 3, groupSize: 5, updates: 1 }, 5],
    ['21 in three updates of 7', { questions: 3, groupSize: 7, updates: 3 }, 7],
    ['11 · 13 in one of 143: none to 8', { questions: 11, groupSize: 13, updates: 1 }, 1],
    [
      '64 in micro-batches of 16: 4 processes',
      { questions: 8, groupSize: 8, updates: 1, microBatch: 16 },
      4,
    ],
    [
      '36 in micro-batches of 12: 3 processes, for 2 have 18 each',
      { questions: 6, groupSize: 6, updates: 1, microBatch: 12 },
      3,
    ],
  ])('%s', async (_, sizes, processes) => {
    const readme = await textOf('trl', 'README.md', sizes);
    const said = [...readme.matchAll(/--num_processes (\S+)/gu)].map(([, n]) => n);
    expect(said).toEqual([String(processes), String(processes)]);
  });
});

describe('GPUs of the folder for verl', () => {
  // By hand, of verl 0.9.1's `train_mini_batch`: ppo_mini_batch_size · n over the data parallel size is whole.
  it.each<[string, Sizes, number]>([
    ['64 rollouts', { questions: 8, groupSize: 8, updates: 1 }, 8],
    ['4', { questions: 1, groupSize: 4, updates: 1 }, 4],
    [
      '24 in two updates of 12: 4, though 8 divide 24',
      { questions: 6, groupSize: 4, updates: 2 },
      4,
    ],
    ['15: 5', { questions: 3, groupSize: 5, updates: 1 }, 5],
  ])('%s', async (_, sizes, gpus) => {
    const overrides = await textOf('verl', 'overrides.txt', sizes);
    expect(overrides).toContain(`\ntrainer.n_gpus_per_node=${gpus}\n`);
    const readme = await textOf('verl', 'README.md', sizes);
    expect(readme).toContain(`sh train.sh trainer.n_gpus_per_node=${gpus}\n`);
  });
});
