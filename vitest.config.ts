import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    testTimeout: 60_000,
    // WASM kernels use a core each; more forks than cores only slows the suite.
    maxWorkers: 2,
    // Tests change nothing global, so that files can share what they import: half of the time else.
    isolate: false,
    sequence: { sequencer: LongestFirst },
  },
});
