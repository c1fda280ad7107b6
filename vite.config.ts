import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { SECURITY_HEADERS } from './scripts/serve/headers.mjs';
import { writeFirstFiles } from './scripts/serve/first-files.mjs';
import { notices } from './scripts/serve/notices.mjs';
import { writeServiceWorker } from './scripts/serve/offline.mjs';
import { precompress } from './scripts/serve/precompress.mjs';
import { metaPolicy, writeHostFiles } from './scripts/serve/static-host.mjs';

/**
 * Adds the list of the files that a visit begins with, what hosts of files need (headers, a page for addresses
 * without a file), the service worker with the list of the build's files, then compressed copies of all.
 */
const finished: Plugin = {
  name: 'finish-build',
  apply: 'build',
  transformIndexHtml: () => [
    {
      tag: 'meta',
      attrs: { 'http-equiv': 'Content-Security-Policy', content: metaPolicy() },
      injectTo: 'head-prepend',
    },
  ],
  writeBundle: {
    order: 'post',
    async handler({ dir }) {
      if (dir === undefined) return;
      await writeFirstFiles(dir);
      await writeHostFiles(dir, this.environment.config.base);
      await writeServiceWorker(dir);
      await precompress(dir);
    },
  },
};

interface SyntaxNode {
  type: string;
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && 'type' in value;

/** Whether the module waits for something before those that import it may run. */
const waitsAtTop = (node: SyntaxNode): boolean => {
  if (/Function/.test(node.type)) return false;
  if (node.type === 'AwaitExpression' || ('await' in node && node.await === true)) return true;
  return Object.values(node)
    .flat()
    .some((child) => isNode(child) && waitsAtTop(child));
};

/**
 * Refuses a top-level await in a file of the page: of two imports of one file WebKit then ends the second before
 * the file has run, whose exports are undefined as yet.
 */
const runsAtOnce: Plugin = {
  name: 'no-top-level-await',
  apply: 'build',
  generateBundle(_, files) {
    for (const file of Object.values(files))
      if (file.type === 'chunk' && waitsAtTop(this.parse(file.code)))
        this.error(`${file.fileName} holds a top-level await, which WebKit imports too early`);
  },
};

/** React's fast refresh writes an inline script and listens to a web socket; only `vite dev` may. */
const forDevelopment = ([name, value]: [string, string]): [string, string] => [
  name,
  name === 'Content-Security-Policy'
    ? value
        .replace("script-src 'self'", "script-src 'self' 'unsafe-inline'")
        .replace("connect-src 'self'", "connect-src 'self' ws:")
    : value,
];

/**
 * Zod tries whether `Function` is allowed unless it is told; the policy of this page forbids it, and Firefox reports
 * the trial as an error. Said at the head of every file, since the schemas are made while they load.
 */
const output = { banner: 'globalThis.__zod_globalConfig??={jitless:true};' };

interface ModuleFacts {
  isEntry: boolean;
  importers: readonly string[];
}

/** Whether a module runs before anything is imported on demand: static imports lead to it from an entry. */
const runsAtStart = (
  id: string,
  facts: (id: string) => ModuleFacts | null,
  seen = new Set<string>(),
): boolean => {
  if (seen.has(id)) return false;
  seen.add(id);
  const module = facts(id);
  if (!module) return false;
  return module.isEntry || module.importers.some((importer) => runsAtStart(importer, facts, seen));
};

/**
 * Components of later pages: Mantine's index imports them, and the page imports the index. Where the first page does
 * use one, its file is among those that `index.html` names.
 */
const LATER =
  /@mantine\/core\/esm\/components\/(Accordion|Checkbox|FileButton|FileInput|Menu|PasswordInput|Popover|Radio|SegmentedControl)\//;

/** Puts what runs at the start into one file of this name, beside the entry. */
const startsAs = (name: string) => ({
  debugName: name,
  name: (id: string, chunks: { getModuleInfo(id: string): ModuleFacts | null }) => {
    const facts = (module: string) => chunks.getModuleInfo(module);
    return facts(id)?.isEntry === false && !LATER.test(id) && runsAtStart(id, facts) ? name : null;
  },
});

/** The page begins with one file in place of fifty: each costs the browser a request. */
const pageOutput = { ...output, codeSplitting: { groups: [startsAs('start')] } };

/**
 * The script of a worker holds its entry alone. WebKit runs a worker's script a second time where a file that
 * is loaded later imports it: two hosts would then answer every call, and the second knows nothing.
 */
const workerOutput = { ...output, codeSplitting: { groups: [startsAs('worker')] } };

const packages = notices(import.meta.dirname);

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8')) as {
  version: string;
};

export default defineConfig(({ command }) => ({
  // Relative links, so that the built page works below any path; its server links from deeper addresses.
  base: command === 'build' ? './' : '/',
  define: { 'import.meta.env.VITE_VERSION': JSON.stringify(version) },
  plugins: [react(), runsAtOnce, packages.collect, packages.write, finished],
  worker: {
    format: 'es',
    plugins: () => [packages.collect],
    // A list that the page and a worker share imports on demand what the worker has anyway: no fault in it.
    rolldownOptions: {
      output: workerOutput,
      checks: { bundlerTimings: false, ineffectiveDynamicImport: false },
    },
  },
  server: { headers: Object.fromEntries(Object.entries(SECURITY_HEADERS).map(forDevelopment)) },
  preview: { headers: SECURITY_HEADERS },
  optimizeDeps: {
    // These find their .wasm files beside themselves, which pre-bundling would break.
    exclude: ['onnxruntime-web', 'hnswlib-wasm'],
  },
  build: {
    target: 'es2022',
    modulePreload: { polyfill: false },
    // What the page begins with has a test; the largest files are libraries that are loaded when they are chosen.
    chunkSizeWarningLimit: Infinity,
    // How long plugins took is no warning to who starts the workbench.
    rolldownOptions: { output: pageOutput, checks: { bundlerTimings: false } },
  },
}));
