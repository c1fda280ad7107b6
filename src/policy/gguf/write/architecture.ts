import { ropeFrequencies } from '../../checkpoint/rope.ts';
import { variantOf, type PolicyConfig } from '../../checkpoint/config.ts';
import type { GgufArchitecture } from '../names.ts';
import type { GgufMetadata, GgufValue } from './encode.ts';

/** Settings of a decoder as llama.cpp reads them. */

const u32 = (value: number): GgufValue => ({ type: 'u32', value });
const f32 = (value: number): GgufValue => ({ type: 'f32', value });
const text = (value: string): GgufValue => ({ type: 'string', value });

export function architectureOf(config: PolicyConfig): GgufArchitecture {
  const { family } = variantOf(config);
  return family === 'gemma3_text' ? 'gemma3' : family;
}

/** llama.cpp leaves out the rotary positions of every fourth layer of SmolLM3, whatever the file says. */
const NO_ROPE_STEP = 4;

/** What llama.cpp assumes of Gemma 3's layers: every sixth sees all positions, the others turn by this base. */
const GEMMA = { step: 6, localTheta: 10_000 };

function unsupportedOfGemma(config: PolicyConfig): string[] {
  const { window, queryScale } = variantOf(config);
  if (!window) return [];
  const faults: string[] = [];
  const layers = Array.from({ length: config.layers }, (_, layer) => layer);
  const sliding = layers.filter((layer) => (layer + 1) % GEMMA.step !== 0);
  if (sliding.join() !== window.layers.join())
    faults.push('llama.cpp lets every sixth layer of gemma3 see all positions, this model others');
  if (window.ropeTheta !== GEMMA.localTheta || window.rope.type !== 'default')
    faults.push(
      'llama.cpp turns sliding layers of gemma3 by the base 10000, this model by another',
    );
  if (queryScale !== 1)
    faults.push(
      'llama.cpp divides queries of gemma3 by the root of the head size, this model does not',
    );
  return faults;
}

/** What llama.cpp does not compute of a decoder, as sentences without their end. */
function unsupported(config: PolicyConfig): string[] {
  const { family, qkvBias, oBias, rope, unturnedLayers } = variantOf(config);
  const faults = unsupportedOfGemma(config);
  if (family === 'qwen3' && (qkvBias || oBias))
    faults.push('llama.cpp has no biases in the attention of qwen3');
  if (family === 'smollm3') {
    const layers = Array.from({ length: config.layers }, (_, layer) => layer);
    const there = layers.filter((layer) => (layer + 1) % NO_ROPE_STEP === 0);
    if (there.join() !== unturnedLayers.join())
      faults.push(
        'llama.cpp leaves out rotary positions in every fourth layer of smollm3, this model in others',
      );
  }
  if (rope.type === 'yarn' && !rope.truncate)
    faults.push('llama.cpp has no YaRN with truncate = false');
  return faults;
}

function ropeScaling(architecture: string, config: PolicyConfig): [string, GgufValue][] {
  const { rope } = variantOf(config);
  const key = (name: string): string => `${architecture}.rope.scaling.${name}`;
  // Llama 3's factors are a tensor: `ropeFactors`.
  if (rope.type === 'default' || rope.type === 'llama3') return [];
  const scaling: [string, GgufValue][] = [
    [key('type'), text(rope.type)],
    [key('factor'), f32(rope.factor)],
  ];
  if (rope.type === 'linear') return scaling;
  // llama.cpp multiplies the factor of YaRN's equation 22 itself.
  const own = 0.1 * Math.log(rope.factor) + 1;
  return [
    ...scaling,
    [key('original_context_length'), u32(rope.originalPositions)],
    [key('attn_factor'), f32(rope.attentionFactor / own)],
    [key('yarn_beta_fast'), f32(rope.betaFast)],
    [key('yarn_beta_slow'), f32(rope.betaSlow)],
  ];
}

/**
 * The `general` and architecture keys of a model.
 * @throws Error that says what llama.cpp does not compute of it
 */
export function architectureMetadata(config: PolicyConfig, name: string): GgufMetadata {
  const faults = unsupported(config);
  if (faults.length > 0)
    throw new Error(`This model cannot be written as GGUF: ${faults.join('; ')}.`);
  const architecture = architectureOf(config);
  const { window } = variantOf(config);
  const key = (part: string): string => `${architecture}.${part}`;
  return new Map<string, GgufValue>([
    ['general.architecture', text(architecture)],
    ['general.type', text('model')],
    ['general.name', text(name)],
    [key('vocab_size'), u32(config.vocabSize)],
    [key('block_count'), u32(config.layers)],
    [key('context_length'), u32(config.maxPositions)],
    [key('embedding_length'), u32(config.hiddenSize)],
    [key('feed_forward_length'), u32(config.intermediateSize)],
    [key('attention.head_count'), u32(config.heads)],
    [key('attention.head_count_kv'), u32(config.kvHeads)],
    [key('attention.key_length'), u32(config.headDim)],
    [key('attention.value_length'), u32(config.headDim)],
    [key('attention.layer_norm_rms_epsilon'), f32(config.rmsNormEps)],
    [key('rope.dimension_count'), u32(config.headDim)],
    [key('rope.freq_base'), f32(config.ropeTheta)],
    ...(window ? [[key('attention.sliding_window'), u32(window.positions)] as const] : []),
    ...ropeScaling(architecture, config),
  ]);
}

/** By what Llama 3's scaling divides each frequency, [headDim / 2]: the tensor `rope_freqs.weight`; null without it. */
export function ropeFactors(config: PolicyConfig): Float32Array | null {
  const { headDim, ropeTheta } = config;
  const { rope } = variantOf(config);
  if (rope.type !== 'llama3') return null;
  const plain = ropeFrequencies(headDim, ropeTheta, { type: 'default' });
  const scaled = ropeFrequencies(headDim, ropeTheta, rope);
  return Float32Array.from(plain, (frequency, i) => frequency / scaled[i]!);
}
