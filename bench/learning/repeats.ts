/**
 * Whether a run repeats a recorded one: every number of every step, but for clock times.
 *
 *   npx tsx bench/learning/repeats.ts training/dapo-1.jsonl runs/dapo-1/steps.jsonl
 *
 * Ends with status 1 where they differ.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { differences } from './differences.ts';

const [record, steps] = process.argv.slice(2);
if (record === undefined || steps === undefined)
  throw new Error('give the recorded steps and those of the run');
const read = (file: string): Record<string, unknown>[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => z.record(z.string(), z.unknown()).parse(JSON.parse(line)));
const { compared, different } = differences(read(record), read(steps));
for (const path of different.slice(0, 10)) console.log(`differs: ${path}`);
console.log(`${compared} values compared, ${different.length} differ`);
process.exitCode = different.length === 0 ? 0 : 1;
