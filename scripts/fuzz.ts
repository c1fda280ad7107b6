/**
 * Reads 10,000 broken inputs with every parser (test/fuzz): bytes flipped, cut, doubled and swapped; values
 * of another type, deep, long or huge. A parser may read one or refuse it with its own error as text for
 * people; anything else, a case of over a second, or one that takes more memory than its input and 64 MB
 * ends the script with a fault, and a case that can be run again.
 *
 *   npx tsx scripts/fuzz.ts [--cases 10000] [--seed 1] [--from 0] [--only PARSER]
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { SUBJECTS } from '../test/fuzz/index.ts';
import { fuzz, type Subject, type Tally } from '../test/fuzz/subjects/subject.ts';

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
    only: { type: 'string' },
  },
});

/** Faults of a parser that are printed. */
const SHOWN = 5;
const HANGS_MS = 20_000;

const HEAD = ['parser', 'cases', 'read', 'refused', 'slowest, ms', 'most memory, MB'];
const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;

const rowOf = ({ name, cases, accepted, rejected, slowestMs, mostBytes }: Tally): string =>
  row([name, cases, accepted, rejected, slowestMs.toFixed(0), (mostBytes / 2 ** 20).toFixed(1)]);

/** A case that never ends stops this thread; another one watches it. */
const WATCH = `
  const { workerData: { seen, name, ms } } = require('node:worker_threads');
  let before = -1;
  setInterval(() => {
    const at = Atomics.load(seen, 0);
    if (at === before) {
      // Not by the console, which goes through the thread that stands still.
      require('node:fs').writeSync(2, name + ', case ' + at + ': it does not end\\n');
      process.kill(process.pid, 'SIGKILL');
    }
    before = at;
  }, ms);
`;

async function one(of: Subject): Promise<void> {
  const collect = globalThis.gc;
  if (!collect) throw new Error('run it without --only, or with --expose-gc: memory is looked at');
  const seen = new Int32Array(new SharedArrayBuffer(4));
  const watch = new Worker(WATCH, {
    eval: true,
    workerData: { seen, name: of.name, ms: HANGS_MS },
  });
  let faults = 0;
  const tally = await fuzz(of, Number(values.cases), {
    seed: Number(values.seed),
    from: Number(values.from),
    collect: () => {
      collect();
    },
    onCase: (at) => Atomics.store(seen, 0, at),
    onFault: (fault) => {
      process.exitCode = 1;
      faults += 1;
      const { cause } = fault;
      if (faults <= SHOWN) console.error(fault.message, cause instanceof Error ? cause.stack : '');
    },
  });
  await watch.terminate();
  console.log(rowOf(tally));
  if (faults > 0) console.error(`${of.name}: ${faults} faults`);
}

if (values.only !== undefined) {
  const found = SUBJECTS.find(({ name }) => name === values.only);
  if (!found) throw new Error(`There are ${SUBJECTS.map(({ name }) => name).join(', ')}.`);
  await one(found);
} else {
  console.log(`${row(HEAD)}\n${row(HEAD.map(() => '---'))}`);
  // Each in a process of its own: what one leaves in memory is not counted for the next.
  for (const { name } of SUBJECTS) {
    const script = [fileURLToPath(import.meta.url), '--only', name];
    const numbers = (['cases', 'seed', 'from'] as const).flatMap((key) => [
      `--${key}`,
      values[key],
    ]);
    const { status } = spawnSync(
      process.execPath,
      ['--expose-gc', ...process.execArgv, ...script, ...numbers],
      { stdio: 'inherit' },
    );
    if (status !== 0) process.exitCode = 1;
  }
}
