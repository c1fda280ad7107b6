import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { FailuresReporter } from './test/failures-reporter.ts';
import { longestFirst } from './test/longest-first.ts';

const LONGEST = [
  'test/policy/ops/webgpu-many.test.ts',
  'test/cli/train.test.ts',
  'test/learn/branching/train.test.ts',
  'test/cli/lab.test.ts',
  'test/policy/ops/webgpu-few.test.ts',
  'test/policy/ops/webgpu-draws.test.ts',
  'test/policy/ops/webgpu-learning.test.ts',
  'test/handover/environment/replay.test.ts',
  'test/recipes/contributing.test.ts',
  'test/policy/model/webgpu.test.ts',
  'test/agent/text/real-engine.test.ts',
  'test/policy/ops/webgpu-wide.test.ts',
  'test/cli/study/command.test.ts',
  'test/cli/data/headline.test.ts',
  'test/agent/systems/otherwise.test.ts',
  'test/cli/world.test.ts',
];

/** Words of a test that changes what all who import it share: a store of the page, or a global. */
const CHANGES = /setState|getState|connectLab|globalThis|[sS]torage|indexedDB|document\.|vi\./;

/** Stores of the page are one for all who import them, and so is the device that arrays are on. */
const STATEFUL = [
  ...readdirSync(join(import.meta.dirname, 'test/ui'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.test\.tsx?$/.test(name))
    .map((name) => join('test/ui', name))
    .filter((path) => CHANGES.test(readFileSync(join(import.meta.dirname, path), 'utf8'))),
  'test/policy/checkpoint/half.test.ts',
  // It counts what a library unpacks, by a module of its own in the library's place.
  'test/handover/adopt/unpacking.test.ts',
  // It fills the disk, by a module of its own in the place of node:fs.
  'test/cli/shared/full-disk.test.ts',
];

const common = {
  testTimeout: 120_000,
  // What passed only at the second attempt is listed at the end of the test command.
  retry: 1,
  expect: { poll: { timeout: 20_000 } },
  setupFiles: ['test/setup.ts'],
};

/** Threads of commands start packed (why: the file named); `test/cli/train.test.ts` starts one from the sources. */
const alias = [
  {
    find: /^\.\.\/shared\/thread-code\.ts$/,
    replacement: join(import.meta.dirname, 'test/cli/shared/thread-code.ts'),
  },
];

export default defineConfig({
  test: {
    reporters: ['default', new FailuresReporter('.cache/failures/unit.txt')],
    // One more than the two cores of CI: now and then a test waits for a process, or for a driver's compiler.
    maxWorkers: 3,
    sequence: { sequencer: longestFirst(LONGEST) },
    projects: [
      {
        // Projects take nothing from the configuration around them.
        resolve: { alias },
        test: {
          ...common,
          name: 'core',
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: STATEFUL,
          // These change nothing global, so they can share what they import; alone they take twice as long.
          isolate: false,
        },
      },
      // A thread for each begins in two thirds of the time of a process.
      {
        test: {
          ...common,
          name: 'stateful',
          include: STATEFUL,
          pool: 'threads',
          // A thousand small files that each thread would read: bundled once, they are one.
          deps: {
            optimizer: {
              ssr: { enabled: true, include: ['@mantine/core', '@mantine/hooks', 'recharts'] },
            },
          },
        },
      },
    ],
  },
});
