/**
 * Reads 10,000 broken files of every format (bytes cut, put in and changed; values of another type,
 * deep or long) and prints for each the slowest case and the memory. A reader may give records and
 * reasons, or an ImportError; anything else, a case of over a second or a heap over 64 MB ends the
 * script with a fault, and a case that can be run again.
 *
 * Last run, 16 formats × 10,000 cases on two busy cores: no fault; mean 0.2 to 0.5 ms a case, the slowest
 * 105 ms (a real parquet file of 146 kB: mean 9.3 ms, slowest 170 ms); buffers at most 20 MB.
 *
 *   npx tsx scripts/fuzz-import.ts [--cases 10000] [--only FORMAT]
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import * as fc from 'fast-check';
import { cpuMs, FILES, mutate, mutation, readBroken } from '../test/data/import/mutations.ts';

const LIMIT_MS = 1000;
const HEAP_MB = 64;

const REAL = resolve(import.meta.dirname, '../../shared/data/formats/verl_dev.parquet');
const files = { ...FILES };
// Its pages are nested and compressed as pyarrow writes them.
if (existsSync(REAL))
  files['verl_dev.parquet'] = {
    bytes: new Uint8Array(readFileSync(REAL)),
    format: { container: 'parquet', schema: 'verl', kind: 'questions' },
  };

const megabytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(0);

async function fuzz(name: string, cases: number): Promise<void> {
  const { bytes, format } = files[name]!;
  let slowest = 0;
  let total = 0;
  let buffers = 0;
  let resident = 0;
  const before = process.memoryUsage().rss;
  await fc.assert(
    fc.asyncProperty(mutation, async (broken) => {
      const start = cpuMs();
      await readBroken(mutate(bytes, broken), broken.detected ? null : format);
      const took = cpuMs() - start;
      slowest = Math.max(slowest, took);
      total += took;
      const { arrayBuffers, rss } = process.memoryUsage();
      buffers = Math.max(buffers, arrayBuffers);
      resident = Math.max(resident, rss - before);
      if (took > LIMIT_MS) throw new Error(`a case took ${took.toFixed(0)} ms`);
    }),
    { numRuns: cases },
  );
  console.log(
    `${name.padEnd(20)} ${cases} cases, mean ${(total / cases).toFixed(2)} ms, slowest ${slowest.toFixed(0)} ms; ` +
      `buffers at most ${megabytes(buffers)} MB, process at most ${megabytes(resident)} MB more`,
  );
}

const { values } = parseArgs({
  options: { cases: { type: 'string', default: '10000' }, only: { type: 'string' } },
});
const cases = Number(values.cases);
if (values.only !== undefined) {
  if (!Object.hasOwn(files, values.only))
    throw new Error(`No format ${values.only}; there are ${Object.keys(files).join(', ')}.`);
  await fuzz(values.only, cases);
} else {
  // Each in a process of its own, so that the bound on the heap is of one format.
  for (const name of Object.keys(files)) {
    const heap = `--max-old-space-size=${HEAP_MB}`;
    const script = fileURLToPath(import.meta.url);
    const { status } = spawnSync(
      process.execPath,
      [...process.execArgv, heap, script, '--cases', String(cases), '--only', name],
      { stdio: 'inherit' },
    );
    if (status !== 0) process.exitCode = 1;
  }
}
