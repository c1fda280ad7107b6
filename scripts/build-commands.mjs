// Bundles what a package needs of Node's side, with no package beside it: `forage`, which serves the
// built page, and `lab`, each with the threads that it starts. `npm run package` runs it after the build.
import { chmod, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { notices } from './serve/notices.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const out = join(root, 'packed');

/** The names are those of `threadCode` in src/cli/shared/thread-code.ts and of `bin` in package.json. */
const COMMANDS = ['forage', 'lab'];
const input = {
  forage: join(root, 'scripts/start.mjs'),
  lab: join(root, 'src/cli/main.ts'),
  'train-worker': join(root, 'src/cli/train/worker.ts'),
  'pretrain-worker': join(root, 'src/cli/pretrain/worker.ts'),
};

const packages = notices(root);
await rm(out, { recursive: true, force: true });
await build({
  configFile: false,
  root,
  publicDir: false,
  plugins: [packages.collect, packages.write],
  logLevel: 'warn',
  // Dawn is compiled code for one system; who computes on a GPU in Node installs it.
  ssr: { noExternal: true, external: ['webgpu'] },
  build: {
    ssr: true,
    target: 'node20',
    outDir: out,
    rolldownOptions: {
      input,
      output: {
        // Comments and spaces are a tenth of a package; names stay, for messages of errors.
        minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
        // All in one folder, as src/cli/shared/paths.ts expects.
        entryFileNames: '[name].js',
        chunkFileNames: 'chunk-[name]-[hash].js',
        banner: ({ name }) => (COMMANDS.includes(name) ? '#!/usr/bin/env node' : ''),
      },
    },
  },
});
await Promise.all(COMMANDS.map((name) => chmod(join(out, `${name}.js`), 0o755)));
