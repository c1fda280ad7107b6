import type { KnipConfig } from 'knip';

/**
 * `npm run unused`: exports that no other file imports, files that nothing reaches, packages that
 * nothing uses. An export that only its own file uses loses its `export`; one that nothing uses goes.
 *
 * A value that a test alone imports counts as used: what it promises is worth a test by itself. A type
 * does not: types are judged by `--production`, where the unit and end-to-end tests do not count.
 * Entries end in `!` where they count there too.
 */
const config: KnipConfig = {
  entry: [
    // index.html names the first; Node starts the others, each of them or as a thread.
    'src/ui/main.tsx!',
    'src/cli/main.ts!',
    'src/cli/pretrain/{encoder,tokenizer}.ts!',
    'src/cli/**/*worker.ts!',
    'workers/*.ts!',
    'bench/**/*.ts!',
    'scripts/**/*.{ts,mjs,js}!',
    'e2e/**/*.ts',
    'test/**/*.test.{ts,tsx}',
    'test/fixtures/**/write-*.ts',
    'test/fuzz/decoders/run.ts',
    // An alias of the unit tests leads there.
    'test/cli/shared/thread-code.ts',
  ],
  project: [
    'src/**/*.{ts,tsx}!',
    'workers/*.ts!',
    'bench/**/*.ts!',
    'scripts/**/*.{ts,mjs,js}!',
    '{e2e,test}/**/*.{ts,tsx}',
  ],
  // A style sheet names its font file.
  ignoreDependencies: ['@fontsource-variable/inter'],
  // The package manager of a system, asked for a browser; file systems of a test's own on Linux.
  ignoreBinaries: ['apt-get', 'unshare'],
};

export default config;
