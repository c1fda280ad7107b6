/**
 * What the engine asks of a GPU, counted at full size without one:
 *
 *   npx tsx bench/gpu-counts/run.ts [--shape qwen2-0.5b] [--layers 24] [--type f16] [--slots 16]
 *     [--context 512] [--train --tokens 2048 --length 512 --targets all] [--json]
 *
 * A null device stands for WebGPU: it executes nothing and counts dispatches, the bytes they were given,
 * submits, readbacks and memory. `--json` prints the counts alone.
 */
import { parseArgs } from 'node:util';
import { parsePolicyConfig } from '../../src/policy/checkpoint/config.ts';
import { prepareNode } from '../../src/policy/jax/jax-node.ts';
import { LORA_TARGETS, type LoraTarget } from '../../src/policy/lora/spec.ts';
import { PresentEngine, type Counted } from './present-engine.ts';
import { SHAPES, type ShapeName } from './shapes.ts';
import { table } from './table.ts';

const { values } = parseArgs({
  options: {
    shape: { type: 'string', default: 'qwen2-0.5b' },
    layers: { type: 'string' },
    type: { type: 'string', default: 'f32' },
    slots: { type: 'string', default: '16' },
    context: { type: 'string', default: '512' },
    train: { type: 'boolean', default: false },
    tokens: { type: 'string', default: '2048' },
    length: { type: 'string', default: '512' },
    rank: { type: 'string', default: '16' },
    targets: { type: 'string', default: 'all' },
    json: { type: 'boolean', default: false },
  },
});

/** A whole number of at least 1. */
function count(name: 'slots' | 'context' | 'tokens' | 'length' | 'rank' | 'layers'): number {
  const value = Number(values[name]);
  if (Number.isInteger(value) && value >= 1) return value;
  throw new Error(`--${name}: "${values[name]}" is no whole number of at least 1`);
}

const isShape = (name: string): name is ShapeName => name in SHAPES;
if (!isShape(values.shape))
  throw new Error(`--shape: "${values.shape}" is none of ${Object.keys(SHAPES).join(', ')}`);
if (values.type !== 'f32' && values.type !== 'f16')
  throw new Error(`--type: "${values.type}" is neither f32 nor f16`);
const isTarget = (name: string): name is LoraTarget =>
  (LORA_TARGETS as readonly string[]).includes(name);
const targets = values.targets === 'all' ? [...LORA_TARGETS] : values.targets.split(',');
if (!targets.every(isTarget))
  throw new Error(`--targets: all, or some of ${LORA_TARGETS.join(',')}`);

prepareNode();
const shape = SHAPES[values.shape];
const layers = values.layers === undefined ? shape.num_hidden_layers : count('layers');
const config = parsePolicyConfig({ ...shape, num_hidden_layers: layers });
const engine = await PresentEngine.start(config, values.type);
const phases: Record<string, Counted> = {};
if (values.train) {
  const adapter = { rank: count('rank'), alpha: 2 * count('rank'), targets };
  const batch = { tokens: count('tokens'), length: count('length') };
  const { steps } = await engine.loraSteps(adapter, [batch]);
  for (const { first, step, score } of steps)
    Object.assign(phases, { 'first LoRA step': first, 'LoRA step': step, score });
} else {
  const weights = await engine.upload();
  const { first, ...rest } = await engine.sampling(weights, count('slots'), count('context'));
  Object.assign(phases, { 'first of each': first, ...rest });
}
const asked = { ...values, layers };
if (values.json) console.log(JSON.stringify({ asked, phases }, null, 2));
else {
  console.log(`${values.shape}, ${layers} layers, weights in ${values.type}`);
  console.log(table(phases));
}
process.exit(0);
