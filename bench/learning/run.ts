/**
 * Exact match before and after training, with the standard error over runs.
 *   npx tsx bench/learning/run.ts RUN_DIR… [--limit 300] [--temperature 0.3] [--seed 0] [--json]
 * Each run is evaluated by `lab evaluate` on the first questions of the test split; "before" is the
 * same policy without an adapter, with the same seed.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';

const scoreSchema = z.looseObject({
  n: z.number(),
  em: z.number(),
  f1: z.number(),
  recall: z.number(),
  searches: z.number(),
});
type Score = z.infer<typeof scoreSchema>;

const runSchema = z.looseObject({
  policy: z.looseObject({ folder: z.string() }),
  world: z.looseObject({ folder: z.string().nullable() }),
  settings: z.looseObject({ recipe: z.string() }),
});

const { values, positionals: runs } = parseArgs({
  allowPositionals: true,
  options: {
    limit: { type: 'string', default: '300' },
    temperature: { type: 'string', default: '0.3' },
    seed: { type: 'string', default: '0' },
    json: { type: 'boolean', default: false },
  },
});

function evaluate(...subject: string[]): Score {
  const { limit, temperature, seed } = values;
  const options = ['--limit', limit, '--temperature', temperature, '--seed', seed, '--json'];
  const args = ['--import', 'tsx', 'src/cli/main.ts', 'evaluate', ...subject, ...options];
  const run = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (run.status !== 0) throw new Error(`evaluate ${subject.join(' ')} failed`);
  return scoreSchema.parse(JSON.parse(run.stdout));
}

/** Each different policy, world and recipe is evaluated once without an adapter. */
const baselines = new Map<string, Score>();
function before(run: string): Score {
  const file = runSchema.parse(JSON.parse(readFileSync(join(run, 'settings.json'), 'utf8')));
  const world = file.world.folder === null ? [] : ['--world', file.world.folder];
  const subject = ['--policy', file.policy.folder, ...world, '--recipe', file.settings.recipe];
  const key = subject.join(' ');
  const score = baselines.get(key) ?? evaluate(...subject);
  baselines.set(key, score);
  return score;
}

if (runs.length === 0) throw new Error('give the folders of one or more training runs');
const rows = runs.map((run) => ({ run, before: before(run), after: evaluate('--run', run) }));
const gains = rows.map((row) => row.after.em - row.before.em);
const mean = gains.reduce((a, b) => a + b, 0) / gains.length;
const variance = gains.reduce((a, g) => a + (g - mean) ** 2, 0) / Math.max(1, gains.length - 1);
const standardError = gains.length < 2 ? null : Math.sqrt(variance / gains.length);

if (values.json) console.log(JSON.stringify({ rows, gain: { mean, standardError } }));
else {
  const percent = (value: number): string => (100 * value).toFixed(1);
  console.log('| run | n | EM before | EM after | gain | F1 after | searches after |');
  console.log('|---|---|---|---|---|---|---|');
  for (const { run, before: b, after: a } of rows)
    console.log(
      `| ${run} | ${a.n} | ${percent(b.em)} | ${percent(a.em)} | ${percent(a.em - b.em)} | ` +
        `${percent(a.f1)} | ${a.searches.toFixed(2)} |`,
    );
  const error = standardError === null ? '' : ` ± ${percent(standardError)} (standard error)`;
  console.log(`\nmean gain ${percent(mean)} points${error} over ${rows.length} run(s)`);
}
