// `npm test`: every check with its time; ends with one line of totals. `--all`: slow tests too (test/slow/slow.ts).
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { ensureChromium } from './chromium.mjs';

/** @typedef {[name: string, program: string, ...args: string[]]} Check */

/** @type {(name: string) => string} */
const bin = (name) => `node_modules/.bin/${name}`;

/**
 * One after another; of those in one line the first lane runs beside the second: neither has work for
 * two cores all of the time. Tests have, and what they say is shown as they say it.
 * @type {Check[][][]}
 */
const phases = [
  [
    [
      ['types', bin('tsc'), '--noEmit'],
      ['lint', bin('oxlint'), '--type-aware', '--deny-warnings'],
      ['imports', bin('tsx'), 'scripts/checks/check-imports.ts'],
      ['layout', bin('tsx'), 'scripts/checks/check-layout.ts'],
      ['house', bin('tsx'), 'scripts/checks/house.ts'],
      ['styles', bin('tsx'), 'scripts/checks/check-styles.ts'],
      ['words', bin('tsx'), 'scripts/checks/check-words.ts'],
      ['lock file', process.execPath, 'scripts/checks/check-lock.mjs'],
    ],
    [
      ['build', bin('vite'), 'build', '--logLevel', 'warn'],
      ['format', bin('oxfmt'), '--check'],
      ['unused', process.execPath, 'scripts/checks/check-unused.mjs'],
    ],
  ],
  [[['unit', bin('vitest'), 'run']]],
  [[['end to end', bin('vitest'), 'run', '--config', 'vitest.e2e.config.ts']]],
];

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

const all = process.argv.includes('--all');
const only = process.argv.slice(2).filter((word) => word !== '--all');
/** @type {string[]} */
const failed = [];
let passed = 0;

/** Where the tests of a check list what failed. @type {(name: string) => string} */
const failures = (name) => `.cache/failures/${name}.txt`;

/** @type {(check: Check, alone: boolean) => Promise<void>} */
const run = async ([name, program, ...args], alone) => {
  if (only.length > 0 && !only.includes(name)) return;
  if (alone) console.log(`\n── ${name}`);
  rmSync(failures(name), { force: true });
  const start = performance.now();
  const child = spawn(program, args, {
    stdio: ['inherit', alone ? 'inherit' : 'pipe', alone ? 'inherit' : 'pipe'],
    env: { ...process.env, FORAGE_CHROMIUM: chromium, ...(all && { FORAGE_TESTS: 'all' }) },
  });
  /** @type {Buffer[]} */
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => said.push(data));
  const status = await new Promise((resolve) => {
    child.once('error', (error) => {
      said.push(Buffer.from(`${error.message}\n`));
      resolve(-1);
    });
    child.once('close', resolve);
  });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  if (status === 0) passed++;
  else failed.push(name);
  if (!alone) console.log(`\n── ${name}`);
  process.stdout.write(Buffer.concat(said));
  console.log(`── ${name}: ${status === 0 ? 'passed' : 'FAILED'} in ${seconds} s`);
};

for (const lanes of phases) {
  const alone = lanes.length === 1;
  await Promise.all(
    lanes.map(async (checks) => {
      for (const check of checks) await run(check, alone);
    }),
  );
}
for (const name of ['unit', 'end to end'])
  if (existsSync(failures(name))) process.stdout.write(readFileSync(failures(name)));
if (!all) console.log('\nSlow tests were left out; `npm test -- --all` runs them too.');
const which = failed.length > 0 ? `: ${failed.join(', ')}` : '';
console.log(`\nchecks: ${passed} passed, ${failed.length} failed${which}`);
process.exit(failed.length === 0 ? 0 : 1);
