import { parsePolicyConfig, type PolicyConfig } from '../../src/policy/checkpoint/config.ts';
import { Random } from '../../src/base/random.ts';
import { GenerationEngine } from '../../src/policy/generation/engine.ts';
import { initAdapter } from '../../src/policy/lora/init.ts';
import { LORA_TARGETS, type LoraSpec } from '../../src/policy/lora/spec.ts';
import { packBatch } from '../../src/policy/lora/train-batch.ts';
import { decodeTrial, readTrial, stepTrial } from '../../src/policy/measure/trials.ts';
import { DecoderLoraTrainer } from '../../src/policy/model/trainer.ts';
import { engineOptions } from '../../src/policy/open/loaded-policy.ts';
import type { MatrixType, StoreType } from '../../src/policy/ops/values.ts';
import { boundBytes } from './bound.ts';
import { CountedEngine } from './count.ts';
import type { Dispatch } from './null-gpu/counts.ts';
import { tripsOf } from './trips.ts';

/** One number of a model, and its bound: `must` is the most, of rows that say "least" the least. */
export interface Row {
  readonly name: string;
  readonly model: string;
  readonly type: MatrixType;
  readonly value: number;
  readonly must: number;
  readonly ok: boolean;
}

/** Bounds that depend on the model, some on the type of its matrices; sizes in GB (1e9 bytes). */
export interface Bounds {
  /** Loop trips of a decode step. */
  readonly trips: number;
  /** Beyond weights and contexts, of reading 8 × 512 tokens. */
  readonly prefillPeak: number;
  /** Beyond weights, of a LoRA step. */
  readonly stepPeak: number;
  readonly prefillBytes: Readonly<Record<MatrixType, number>>;
  readonly stepBytes: Readonly<Record<MatrixType, number>>;
  /** All that is held to train beside 16 contexts of 1,024 tokens. */
  readonly train: Readonly<Record<MatrixType, number>>;
}

/** A shape to count, as `config.json` has it. */
export interface Model {
  readonly name: string;
  readonly shape: Readonly<Record<string, unknown>> & { readonly num_hidden_layers: number };
  readonly bounds: Bounds;
}

const SPEC: LoraSpec = { rank: 16, alpha: 32, targets: [...LORA_TARGETS] };
const STEP_TOKENS = 2048;
const STEP_LENGTH = 512;
const GB = 1e9;
const PRODUCT = /^few (heads|write|residual|feed-forward|logits) /;

const groupsOf = ({ workgroups }: Dispatch): number =>
  workgroups === null ? 0 : workgroups[0] * workgroups[1] * workgroups[2];

/** All rows of a model with its matrices in a type. */
export async function countRows(model: Model, type: MatrixType): Promise<Row[]> {
  const rows: Row[] = [];
  const add = (name: string, value: number, must: number, least = false): void => {
    const ok = least ? value >= must : value <= must;
    rows.push({ name, model: model.name, type, value, must, ok });
  };
  const configOf = (layers: number): PolicyConfig =>
    parsePolicyConfig({ ...model.shape, num_hidden_layers: layers }, 4096);
  const layers = model.shape.num_hidden_layers;
  const config = configOf(layers);
  const engine = await CountedEngine.start(config, type);
  const { bounds } = model;
  const decoded = async (slots: number, context: number, keys: StoreType) => {
    // The token that is decoded is the last one of its context.
    const trial = decodeTrial(engine.decoder, slots, context - 1, keys);
    const recorded = await engine.recorded(trial);
    trial.free();
    return recorded;
  };
  const shareOf = (
    dispatches: readonly Dispatch[],
    slots: number,
    context: number,
    each: number,
  ): number => {
    const keys = 2 * each * config.layers * config.kvHeads * config.headDim * context * slots;
    return boundBytes(dispatches, slots, config) / (engine.weightBytes + keys);
  };

  for (const slots of [1, 16, 64])
    for (const context of [512, 2048]) {
      const { counted, dispatches } = await decoded(slots, context, 'f32');
      const at = `${slots} × ${context}`;
      add(`bytes bound ÷ ideal, ${at}`, shareOf(dispatches, slots, context, 4), 1.15);
      if (slots === 16) {
        const halves = await decoded(slots, context, 'f16');
        const share = shareOf(halves.dispatches, slots, context, 2);
        add(`bytes bound ÷ ideal, ${at} in f16`, share, 1.15);
      }
      if (context !== 512) continue;
      if (slots === 16) {
        add('dispatches a layer of a decode step', perLayer(dispatches, layers), 6);
        add('dispatches of a decode step', counted.dispatches, 6 * layers + 4);
        add('submits of a decode step', counted.submits, 1);
        add('new bind groups of a decode step', counted.bindGroups, 0);
        add('bytes read back a slot', counted.readbacks.bytes / slots, 64);
        const trips = dispatches.reduce((sum, dispatch) => sum + tripsOf(dispatch), 0);
        add(`serial loop trips of a decode step, ${at}`, trips, bounds.trips);
      }
      if (slots > 16) continue;
      const products = dispatches.filter(({ pipeline }) => PRODUCT.test(pipeline.label));
      const fewest = Math.min(...products.map(groupsOf));
      add(`workgroups of a product, least, ${slots} slots`, fewest, 100, true);
    }

  const reading = await engine.counted(readTrial(engine.decoder, 8, 512));
  const beyond = (peak: number): number => (peak - engine.weightBytes) / GB;
  add('reading 8 × 512, GB bound', reading.again.boundBytes / GB, bounds.prefillBytes[type]);
  // Keys and values are what it is for.
  const kept = (2 * 4 * config.layers * config.kvHeads * config.headDim * 8 * 512) / GB;
  add(
    'reading 8 × 512, GB beyond weights and contexts',
    beyond(reading.first.peakBytes) - kept,
    bounds.prefillPeak,
  );
  engine.close();

  const step = await trained(config, type);
  add('LoRA step, GB bound', step.boundBytes / GB, bounds.stepBytes[type]);
  add('LoRA step, dispatches a layer', step.dispatches / layers, 60);
  add('LoRA step, readbacks', step.readbacks, 2);
  add('LoRA step, GB beyond weights', step.peak / GB, bounds.stepPeak);
  const small = await trained(configOf(4), type);
  add(
    `LoRA step, peak of ${layers} layers ÷ 4, without what is kept`,
    step.inside / small.inside,
    1.2,
  );
  add('pipelines in 20 steps of ragged batches', await pipelines(configOf(2), type), 120);
  const whole = await held(config, type, 'f32');
  add('GB to train beside 16 × 1,024 slots', whole / GB, bounds.train[type]);
  // In halves contexts take half of it, beside the step that is most of the rest.
  const halved = whole - 2 * 2 * config.layers * config.kvHeads * config.headDim * 16 * 1024;
  add(
    'GB to train beside 16 × 1,024 slots in f16',
    (await held(config, type, 'f16')) / GB,
    (1.02 * halved) / GB,
  );
  return rows;
}

/** Dispatches of kernels that every layer has. */
function perLayer(dispatches: readonly Dispatch[], layers: number): number {
  const counts = new Map<string, number>();
  for (const { pipeline } of dispatches)
    counts.set(pipeline.label, (counts.get(pipeline.label) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => sum + Math.floor(count / layers), 0);
}

/** A LoRA step: `inside` is its peak without weights, adapter, its gradients and the kept inputs of the layers. */
async function trained(config: PolicyConfig, type: MatrixType) {
  const engine = await CountedEngine.start(config, type);
  const { first, again } = await engine.counted(
    await stepTrial(engine.decoder, SPEC, STEP_TOKENS, STEP_LENGTH),
  );
  const peak = first.peakBytes - engine.weightBytes;
  const inputs = (config.layers + 1) * STEP_TOKENS * config.hiddenSize * 4;
  const adapter = 2 * 4 * initAdapter(config, SPEC, 1).length;
  engine.close();
  return {
    boundBytes: again.boundBytes,
    dispatches: again.dispatches,
    readbacks: again.readbacks.count,
    peak,
    inside: peak - inputs - adapter,
  };
}

/** Pipelines that 20 steps of batches of other lengths make, the first one's among them. */
async function pipelines(config: PolicyConfig, type: MatrixType): Promise<number> {
  const engine = await CountedEngine.start(config, type);
  const limits = { maxTokens: STEP_TOKENS, maxLength: STEP_LENGTH };
  const trainer = new DecoderLoraTrainer(engine.decoder.view(), SPEC, limits);
  await trainer.setAdapter(initAdapter(config, SPEC, 1));
  const random = new Random(1);
  const { counter } = engine.gpu;
  counter.restart();
  for (let step = 0; step < 20; step++) {
    const lengths: number[] = [];
    for (let left = STEP_TOKENS; left > 1;) {
      const length = Math.min(left, 2 + random.below(STEP_LENGTH - 1));
      lengths.push(length);
      left -= length + random.below(200);
    }
    const batch = packBatch(
      lengths.map((length) => ({
        ids: Array.from({ length }, () => random.below(config.vocabSize)),
        weights: Array.from({ length }, () => 1),
      })),
    );
    trainer.zeroGradients();
    await trainer.accumulate(batch, ({ logprobs }) => new Float32Array(logprobs.length).fill(1));
    await trainer.gradients();
  }
  const made = counter.counts.pipelines;
  trainer.dispose();
  engine.close();
  return made;
}

/** Most bytes of a device on which 16 contexts of 1,024 tokens were sampled and a LoRA step was taken. */
async function held(config: PolicyConfig, type: MatrixType, keys: StoreType): Promise<number> {
  const engine = await CountedEngine.start(config, type);
  const { counter } = engine.gpu;
  counter.restart();
  const sampler = new GenerationEngine(engine.decoder.view(), engineOptions('webgpu', 16, keys));
  await sampler.reserve(16, 1024);
  const sampling = { temperature: 1, topK: 0, topP: 1 };
  await Promise.all(
    Array.from({ length: 16 }, async (_, i) => {
      const session = sampler.open(i);
      session.append(Array.from({ length: 900 }, () => 1));
      // What is read back is zeros, of which nothing is finite: a session ends with its first token.
      await session.generate({ maxTokens: 1, stopIds: [], sampling }).catch(() => null);
    }),
  );
  const step = await stepTrial(engine.decoder, SPEC, STEP_TOKENS, STEP_LENGTH, keys);
  await step.run();
  const { peakBytes } = counter.counts;
  step.free();
  sampler.dispose();
  engine.close();
  return peakBytes;
}
