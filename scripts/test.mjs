// `npm test`: every check with its time; ends with one line of totals.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { ensureChromium } from './chromium.mjs';

/** @typedef {[name: string, program: string, ...args: string[]]} Check */

/** @type {(name: string) => string} */
const bin = (name) => `node_modules/.bin/${name}`;

const E2E = ['run', '--config', 'vitest.e2e.config.ts', '--project'];

/**
 * One after another; of those in one phase the first lane runs beside the second: neither has work for
 * two cores all of the time. What tests say is shown as they say it. Those that keep a promise in
 * milliseconds run alone.
 * @type {Check[][][]}
 */
const phases = [
  [
    [
      ['types', bin('tsc'), '--noEmit'],
      ['lint', bin('oxlint'), '--type-aware', '--deny-warnings'],
      ['imports', bin('tsx'), 'scripts/checks/check-imports.ts'],
      ['layout', bin('tsx'), 'scripts/checks/check-layout.ts'],
      ['styles', bin('tsx'), 'scripts/checks/check-styles.ts'],
      ['lock file', process.execPath, 'scripts/checks/check-lock.mjs'],
    ],
    [
      ['build', bin('vite'), 'build', '--logLevel', 'warn'],
      ['format', bin('oxfmt'), '--check'],
      ['unused', process.execPath, 'scripts/checks/check-unused.mjs'],
    ],
  ],
  [[['timed', bin('vitest'), ...E2E, 'timed']]],
  [[['unit', bin('vitest'), 'run']], [['end to end', bin('vitest'), ...E2E, 'pages']]],
];
const TESTS = ['timed', 'unit', 'end to end'];

if (!existsSync('node_modules/.bin/tsc')) {
  console.error('The packages are not installed. Run: npm ci');
  process.exit(2);
}
let chromium = '';
try {
  chromium = ensureChromium();
} catch (error) {
  console.error(error.message);
  process.exit(2);
}

const only = process.argv.slice(2);
/** @type {string[]} */
const failed = [];
let passed = 0;

/** Where the tests of a check list what failed. @type {(name: string) => string} */
const failures = (name) => `.cache/failures/${name}.txt`;

/** Shows whole lines as they come, each behind the name of who says it. @type {(name: string, stream: NodeJS.ReadableStream) => Promise<void>} */
const show = async (name, stream) => {
  for await (const line of createInterface({ input: stream })) console.log(`${name} │ ${line}`);
};

/** @type {(check: Check) => Promise<void>} */
const run = async ([name, program, ...args]) => {
  if (only.length > 0 && !only.includes(name)) return;
  const tests = TESTS.includes(name);
  rmSync(failures(name), { force: true });
  const start = performance.now();
  const child = spawn(program, args, {
    stdio: ['inherit', 'pipe', 'pipe'],
    env: { ...process.env, FORAGE_CHROMIUM: chromium, FORAGE_FAILURES: failures(name) },
  });
  /** @type {Buffer[]} */
  const said = [];
  const shown = [child.stdout, child.stderr].map((stream) => {
    if (tests) return show(name, stream);
    stream.on('data', (data) => said.push(data));
    return Promise.resolve();
  });
  const status = await new Promise((resolve) => {
    child.once('error', (error) => {
      said.push(Buffer.from(`${error.message}\n`));
      resolve(-1);
    });
    child.once('close', resolve);
  });
  await Promise.all(shown);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  if (status === 0) passed++;
  else failed.push(name);
  console.log(`\n── ${name}`);
  process.stdout.write(Buffer.concat(said));
  console.log(`── ${name}: ${status === 0 ? 'passed' : 'FAILED'} in ${seconds} s`);
};

for (const lanes of phases) {
  await Promise.all(
    lanes.map(async (checks) => {
      for (const check of checks) await run(check);
    }),
  );
}
for (const name of TESTS)
  if (existsSync(failures(name))) process.stdout.write(readFileSync(failures(name)));
const which = failed.length > 0 ? `: ${failed.join(', ')}` : '';
console.log(`\nchecks: ${passed} passed, ${failed.length} failed${which}`);
process.exit(failed.length === 0 ? 0 : 1);
