import { defineConfig } from 'vitest/config';
import { FailuresReporter } from './test/failures-reporter.ts';
import { longestFirst } from './test/longest-first.ts';

const LONGEST = [
  'test/cli/train.test.ts',
  'test/cli/lab.test.ts',
  'test/cli/pretrain/policy.test.ts',
  'test/cli/foreign.test.ts',
  'test/handover/environment/replay.test.ts',
  'test/cli/environment.test.ts',
  'test/retrieval/own-corpus.test.ts',
  'test/fuzz/fuzz.test.ts',
  'test/formats/rollouts/hostile.test.ts',
  'test/cli/methods.test.ts',
];

/** Stores of the page are one for all who import them, and so is the device that arrays are on. */
const STATEFUL = ['test/ui/**/*.test.{ts,tsx}', 'test/policy/checkpoint/half.test.ts'];

const common = {
  testTimeout: 120_000,
  // What passed only at the second attempt is listed at the end of the test command.
  retry: 1,
  expect: { poll: { timeout: 20_000 } },
  setupFiles: ['test/setup.ts'],
};

export default defineConfig({
  test: {
    reporters: ['default', new FailuresReporter('.cache/failures/unit.txt')],
    // WASM kernels use a core each; more forks than cores only slows the suite.
    maxWorkers: 2,
    sequence: { sequencer: longestFirst(LONGEST) },
    projects: [
      {
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
      { test: { ...common, name: 'stateful', include: STATEFUL, pool: 'threads' } },
    ],
  },
});
