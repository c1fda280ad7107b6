/**
 * Decode steps of one and of many slots in turns, in one run: how many tokens the weights that a step reads are for.
 *
 *   npx tsx bench/engine/slots.ts [--shape qwen2-0.5b] [--layers 24] [--type int4] [--slots 16]
 *     [--context 128] [--rounds 3] [--json]
 *
 * WebGPU in Node is Dawn; VK_ICD_FILENAMES chooses its driver. A software driver is bound by arithmetic, so that this is a
 * check there and not the aim. Matrices hold zeros, which take as long as any other numbers. `--json` prints
 * `{ rows: [{ name, model, type, value, must, ok }] }`; ends with 1 where many slots bring less than twice the tokens.
 */
import { parseArgs } from 'node:util';
import { median } from '../../src/base/statistics.ts';
import { parsePolicyConfig } from '../../src/policy/checkpoint/config.ts';
import { decodeTrial } from '../../src/policy/measure/trials.ts';
import { prepareNode, prepareNodeWebGpu } from '../../src/policy/node/prepare.ts';
import { MATRIX_TYPES } from '../../src/policy/ops/values.ts';
import { createWebGpuOps } from '../../src/policy/webgpu/ops.ts';
import { SHAPES, type ShapeName } from '../gpu-counts/shapes.ts';
import { unfilledDecoder } from '../gpu-counts/unfilled.ts';

const { values } = parseArgs({
  options: {
    shape: { type: 'string', default: 'qwen2-0.5b' },
    layers: { type: 'string' },
    type: { type: 'string', default: 'int4' },
    slots: { type: 'string', default: '16' },
    context: { type: 'string', default: '128' },
    rounds: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
  },
});
const isShape = (name: string): name is ShapeName => name in SHAPES;
if (!isShape(values.shape))
  throw new Error(`--shape: "${values.shape}" is none of ${Object.keys(SHAPES).join(', ')}`);
const type = MATRIX_TYPES.find((name) => name === values.type);
if (!type) throw new Error(`--type: "${values.type}" is none of ${MATRIX_TYPES.join(', ')}`);
const shape = SHAPES[values.shape];
const layers = Number(values.layers ?? shape.num_hidden_layers);
const [many, context, rounds] = [values.slots, values.context, values.rounds].map(Number);
if (!many || !context || !rounds || !Number.isInteger(layers) || layers < 1)
  throw new Error('--layers, --slots, --context and --rounds are whole numbers of at least 1');

prepareNode();
await prepareNodeWebGpu();
const ops = await createWebGpuOps();
const decoder = unfilledDecoder(
  ops,
  parsePolicyConfig({ ...shape, num_hidden_layers: layers }, 4096),
  type,
);
const trials = [1, many].map((slots) => ({
  slots,
  trial: decodeTrial(decoder, slots, context),
  seconds: [] as number[],
}));
// Kernels are compiled first.
for (const { trial } of trials) await trial.run();
for (let round = 0; round < rounds; round++)
  for (const { trial, seconds } of trials) {
    const start = performance.now();
    await trial.run();
    seconds.push((performance.now() - start) / 1000);
  }
const rates = trials.map(({ slots, seconds }) => slots / (median(seconds) ?? Number.NaN));
const value = (rates[1] ?? 0) / (rates[0] ?? Number.NaN);
const row = {
  name: `tokens/s of ${many} slots ÷ 1`,
  model: `${values.shape}, ${layers} layers`,
  type,
  value,
  must: 2,
  ok: value >= 2,
};
if (values.json) console.log(JSON.stringify({ rows: [row] }, null, 2));
else {
  console.log(`${row.model}, ${type}, ${context} positions, ${ops.gpu.device.name}`);
  for (const [i, { slots, seconds }] of trials.entries())
    console.log(
      `${`${slots} slots`.padEnd(12)}${(rates[i] ?? 0).toFixed(3)} tokens/s (${seconds.map((s) => s.toFixed(2)).join(', ')} s a step)`,
    );
  console.log(`${row.ok ? ' ' : '!'} ${row.name}: ${value.toFixed(2)}, must be at least 2`);
}
process.exit(row.ok ? 0 : 1);
