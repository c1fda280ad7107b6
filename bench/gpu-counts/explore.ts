/**
 * What the engine asks of a GPU for one shape, counted at full size without one:
 *
 *   npx tsx bench/gpu-counts/explore.ts [--shape qwen2-0.5b] [--layers 24] [--type int4] [--slots 16]
 *     [--context 512] [--read 8] [--train --tokens 2048 --length 512 --rank 16 --targets all] [--json]
 *
 * A null device stands for WebGPU: it executes nothing and counts dispatches, the bytes they were given,
 * submits, readbacks and memory. `--json` prints the counts alone.
 */
import { parseArgs } from 'node:util';
import { parsePolicyConfig } from '../../src/policy/checkpoint/config.ts';
import { LORA_TARGETS, type LoraTarget } from '../../src/policy/lora/spec.ts';
import { MATRIX_TYPES, type MatrixType } from '../../src/policy/ops/values.ts';
import { CountedEngine, type Counted } from './count.ts';
import { SHAPES, type ShapeName } from './shapes.ts';
import { table } from './table.ts';

const { values } = parseArgs({
  options: {
    shape: { type: 'string', default: 'qwen2-0.5b' },
    layers: { type: 'string' },
    type: { type: 'string', default: 'int4' },
    slots: { type: 'string', default: '16' },
    context: { type: 'string', default: '512' },
    read: { type: 'string', default: '8' },
    train: { type: 'boolean', default: false },
    tokens: { type: 'string', default: '2048' },
    length: { type: 'string', default: '512' },
    rank: { type: 'string', default: '16' },
    targets: { type: 'string', default: 'all' },
    json: { type: 'boolean', default: false },
  },
});

/** A whole number of at least 1. */
function count(name: 'slots' | 'context' | 'read' | 'tokens' | 'length' | 'rank' | 'layers') {
  const value = Number(values[name]);
  if (Number.isInteger(value) && value >= 1) return value;
  throw new Error(`--${name}: "${values[name]}" is no whole number of at least 1`);
}

const isShape = (name: string): name is ShapeName => name in SHAPES;
const isType = (name: string): name is MatrixType =>
  (MATRIX_TYPES as readonly string[]).includes(name);
const isTarget = (name: string): name is LoraTarget =>
  (LORA_TARGETS as readonly string[]).includes(name);
if (!isShape(values.shape))
  throw new Error(`--shape: "${values.shape}" is none of ${Object.keys(SHAPES).join(', ')}`);
if (!isType(values.type))
  throw new Error(`--type: "${values.type}" is none of ${MATRIX_TYPES.join(', ')}`);
const targets = values.targets === 'all' ? [...LORA_TARGETS] : values.targets.split(',');
if (!targets.every(isTarget))
  throw new Error(`--targets: all, or some of ${LORA_TARGETS.join(',')}`);

const shape = SHAPES[values.shape];
const layers = values.layers === undefined ? shape.num_hidden_layers : count('layers');
const config = parsePolicyConfig({ ...shape, num_hidden_layers: layers }, 4096);
const engine = await CountedEngine.start(config, values.type);
const phases: Record<string, Counted> = {};
const add = (name: string, { first, again }: { first: Counted; again: Counted }): void => {
  phases[`first ${name}`] = first;
  phases[name] = again;
};
if (values.train) {
  const spec = { rank: count('rank'), alpha: 2 * count('rank'), targets };
  add('LoRA step', await engine.step(spec, count('tokens'), count('length')));
} else {
  add('decode step', await engine.decode(count('slots'), count('context')));
  add('reading', await engine.read(count('read'), count('context')));
}
const { weightBytes } = engine;
if (values.json)
  console.log(JSON.stringify({ asked: { ...values, layers }, weightBytes, phases }, null, 2));
else {
  console.log(
    `${values.shape}, ${layers} layers, weights in ${values.type}: ${(weightBytes / 1e6).toFixed(1)} MB`,
  );
  console.log(table(phases));
}
process.exit(0);
