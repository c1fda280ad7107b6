import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    testTimeout: 60_000,
    // WASM kernels use a core each; more forks than cores only slows the suite.
    maxWorkers: 2,
  },
});
