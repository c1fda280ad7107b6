// `npm test`: every check in order, each with its time; stops at the end with one line of totals.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { ensureChromium } from './chromium.mjs';

/** @type {(name: string) => string} */
const bin = (name) => `node_modules/.bin/${name}`;
/** @type {[string, string[]][]} */
const checks = [
  ['types', [bin('tsc'), '--noEmit']],
  ['lint', [bin('oxlint'), '--type-aware', '--deny-warnings']],
  ['format', [bin('prettier'), '--check', '--log-level', 'warn', '.']],
  ['imports', [bin('tsx'), 'scripts/check-imports.ts']],
  ['unit', [bin('vitest'), 'run']],
  ['build', [bin('vite'), 'build', '--logLevel', 'warn']],
  ['end to end', [bin('vitest'), 'run', '--config', 'vitest.e2e.config.ts']],
];

if (!existsSync('node_modules/.bin/tsc')) {
  console.error('The packages are not installed. Run: npm install');
  process.exit(2);
}
let chromium;
try {
  chromium = ensureChromium();
} catch (error) {
  console.error(error.message);
  process.exit(2);
}

const only = process.argv.slice(2);
let failed = 0;
let passed = 0;
for (const [name, command] of checks) {
  if (only.length > 0 && !only.includes(name)) continue;
  console.log(`\n── ${name}`);
  const start = performance.now();
  const [program, ...args] = command;
  const run = spawnSync(program ?? '', args, {
    stdio: 'inherit',
    env: { ...process.env, FORAGE_CHROMIUM: chromium },
  });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  if (run.status === 0) passed++;
  else failed++;
  console.log(`── ${name}: ${run.status === 0 ? 'passed' : 'FAILED'} in ${seconds} s`);
}
console.log(`\nchecks: ${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
