import { defineConfig } from 'vitest/config';
import { FailuresReporter } from './test/failures-reporter.ts';
import { longestFirst } from './test/longest-first.ts';

const LONGEST = [
  'e2e/train/headline.test.ts',
  'e2e/train/finished-run.test.ts',
  'e2e/train/training-page.test.ts',
  'e2e/ask/fork-elsewhere.test.ts',
  'e2e/kill.test.ts',
  'e2e/models/checkpoints.test.ts',
  'e2e/evaluate/evaluate.test.ts',
  'e2e/train/sweep.test.ts',
  'e2e/train/before-after.test.ts',
  'e2e/rollouts/hostile-rollouts.test.ts',
  'e2e/shell/accessible.test.ts',
  'e2e/shell/package.test.ts',
  'e2e/shell/static-host.test.ts',
  'e2e/ask/lost-device.test.ts',
  'e2e/shell/widths.test.ts',
  'e2e/ask/fork.test.ts',
  'e2e/ask/fork-changes.test.ts',
  'e2e/browsers/webkit.test.ts',
  'e2e/corpus/own-corpus.test.ts',
  'e2e/ask/permalink.test.ts',
  'e2e/train/training-safety.test.ts',
  'e2e/corpus/collections-kill.test.ts',
  'e2e/train/handover.test.ts',
  'e2e/corpus/clusters.test.ts',
  'e2e/browsers/firefox.test.ts',
  'e2e/rollouts/rollout-files.test.ts',
  'e2e/rollouts/pictures.test.ts',
  'e2e/ask/unknown-name.test.ts',
  'e2e/models/encoders.test.ts',
];

/** What a test promises in milliseconds holds where nothing else runs; a quick run asks it for none. */
const TIMED = process.env['FORAGE_TESTS'] === 'all' ? ['e2e/ask/cancel.test.ts'] : [];

const common = {
  // Long enough for a busy machine.
  testTimeout: 240_000,
  hookTimeout: 120_000,
  // A browser on a busy machine is late now and then; what passed only then is listed at the end.
  retry: 1,
  expect: { poll: { timeout: 60_000 } },
  // What files import they share, and the browser with it.
  isolate: false,
};

/** Promises made to the user, kept in a real browser against the built page (`npx vite build`). */
export default defineConfig({
  test: {
    reporters: ['default', new FailuresReporter('.cache/failures/end to end.txt')],
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
          name: 'pages',
          include: ['e2e/**/*.test.ts'],
          exclude: TIMED,
          // Pages wait for workers, timers and storage: three files at a time leave two cores idle for four tenths of the time.
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
