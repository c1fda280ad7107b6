import { defineConfig } from 'vitest/config';

/** Promises made to the user, kept in a real browser against the built page (`npx vite build`). */
export default defineConfig({
  test: {
    include: ['e2e/**/*.test.ts'],
    testTimeout: 90_000,
    hookTimeout: 60_000,
    // Each file has a browser of its own, and the policy uses every core.
    fileParallelism: false,
  },
});
