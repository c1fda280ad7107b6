/**
 * What the engine asks of a GPU, counted at full size without one, against the bounds it must keep:
 *
 *   npx tsx bench/gpu-counts/run.ts [--model qwen2-0.5b] [--type int4] [--json]
 *
 * A null device stands for WebGPU: it executes nothing and counts everything. `--json` prints
 * `{ rows: [{ name, model, type, value, must, ok }] }`. Ends with 1 where a row is worse than its bound.
 * `explore.ts` counts one shape in more detail.
 */
import { parseArgs } from 'node:util';
import { MATRIX_TYPES } from '../../src/policy/ops/values.ts';
import { MODELS } from './models.ts';
import { countRows, type Row } from './rows.ts';

const { values } = parseArgs({
  options: {
    model: { type: 'string' },
    type: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});

const models = MODELS.filter(({ name }) => values.model === undefined || name === values.model);
if (models.length === 0)
  throw new Error(`--model: "${values.model}" is none of ${MODELS.map((m) => m.name).join(', ')}`);
const types = MATRIX_TYPES.filter((type) => values.type === undefined || type === values.type);
if (types.length === 0)
  throw new Error(`--type: "${values.type}" is none of ${MATRIX_TYPES.join(', ')}`);

const short = (value: number): string =>
  Number.isInteger(value) ? value.toLocaleString('en') : value.toFixed(3);

const rows: Row[] = [];
for (const model of models)
  for (const type of types) {
    const these = await countRows(model, type);
    rows.push(...these);
    if (values.json) continue;
    console.log(`\n${model.name}, ${type}`);
    for (const { name, value, must, ok } of these)
      console.log(
        `${ok ? ' ' : '!'} ${name.padEnd(60)}${short(value).padStart(12)}${short(must).padStart(12)}`,
      );
  }
const worse = rows.filter(({ ok }) => !ok);
if (values.json) console.log(JSON.stringify({ rows }, null, 2));
else console.log(`\n${rows.length} rows, ${worse.length} worse than their bound`);
process.exit(worse.length > 0 ? 1 : 0);
