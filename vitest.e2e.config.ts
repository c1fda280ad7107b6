import { defineConfig } from 'vitest/config';
import { longestFirst } from './test/longest-first.ts';

/** Tests that say how long something may take: nothing else runs beside them. */
const TIMED = ['e2e/cancel.test.ts'];

const LONGEST = [
  'e2e/training-page.test.ts',
  'e2e/kill.test.ts',
  'e2e/hostile-rollouts.test.ts',
  'e2e/rollout-files.test.ts',
  'e2e/accessible.test.ts',
  'e2e/training-safety.test.ts',
  'e2e/collections.test.ts',
  'e2e/lora-webgpu.test.ts',
  'e2e/lost-worker.test.ts',
];

/** A browser for each file; the files share what they import. Long enough for a busy machine. */
const common = {
  testTimeout: 240_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 60_000 } },
  isolate: false,
};

/** Promises made to the user, kept in a real browser against the built page (`npx vite build`). */
export default defineConfig({
  test: {
    sequence: { sequencer: longestFirst(LONGEST) },
    projects: [
      {
        test: {
          ...common,
          name: 'timed',
          include: TIMED,
          maxWorkers: 1,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...common,
          name: 'page',
          include: ['e2e/**/*.test.ts'],
          exclude: TIMED,
          // One browser seldom has work for both cores.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
