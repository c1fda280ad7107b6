import { defineConfig } from 'vitest/config';
import { longestFirst } from './test/longest-first.ts';

const LONGEST = [
  'test/cli/train.test.ts',
  'test/cli/warm-up.test.ts',
  'test/cli/lab.test.ts',
  'test/data/import/broken-files.test.ts',
  'test/runs/checkpoints/host.test.ts',
];

export default defineConfig({
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    testTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    // WASM kernels use a core each; more forks than cores only slows the suite.
    maxWorkers: 2,
    // Tests change nothing global, so files can share what they import; alone they take twice as long.
    isolate: false,
    setupFiles: ['test/setup.ts'],
    sequence: { sequencer: longestFirst(LONGEST) },
  },
});
