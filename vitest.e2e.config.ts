import { defineConfig } from 'vitest/config';

/** Promises made to the user, kept in a real browser against the built page (`npx vite build`). */
export default defineConfig({
  test: {
    include: ['e2e/**/*.test.ts'],
    // Long enough for a busy machine.
    testTimeout: 240_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // Each file has a browser of its own, and the policy uses every core: two at a time take as long.
    fileParallelism: false,
    // What files import they share.
    isolate: false,
  },
});
