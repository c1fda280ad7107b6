import { describe, expect, it } from 'vitest';
import { readSafetensors, writeSafetensors } from '../../../src/policy/checkpoint/safetensors.ts';
import { initWeights } from '../../../src/policy/checkpoint/weights.ts';
import { ADAPTER_GATES } from '../../../src/policy/lora/gates-file.ts';
import { initAdapter } from '../../../src/policy/lora/init.ts';
import { mergeAdapter } from './merge-adapter.ts';
import { ADAPTER_WEIGHTS, readPeft, writePeft } from '../../../src/policy/lora/peft.ts';
import { loraSize, type LoraSpec } from '../../../src/policy/lora/spec.ts';
import { loadLoraFixture } from '../../fixtures/qwen3-lora/load.ts';

const { config } = loadLoraFixture();
const plain: LoraSpec = { rank: 2, alpha: 4, targets: ['q_proj', 'down_proj'] };
const gated: LoraSpec = { ...plain, gates: { rMin: 0.75, rMax: 1 } };
const flat = initAdapter(config, gated, 3);

describe('an adapter with gates', () => {
  it('is read back from its folder, its factors as without', () => {
    const files = writePeft(config, gated, flat, 'base');
    expect(readPeft(config, files)).toEqual({ spec: gated, flat, baseName: 'base' });
    const factors = flat.subarray(0, loraSize(config, gated));
    const [weights] = writePeft(config, plain, factors, 'base');
    expect(files.find(({ name }) => name === ADAPTER_WEIGHTS)).toEqual(weights);
  });

  it('keeps its gates whole where factors are rounded, and Λ without an end', () => {
    const open = { ...plain, gates: { rMin: 1, rMax: 1 } };
    const values = initAdapter(config, open, 3);
    const { flat: back } = readPeft(config, writePeft(config, open, values, 'base', 'F16'));
    const from = loraSize(config, open);
    expect(back.subarray(from)).toEqual(values.subarray(from));
    expect(back.at(-1)).toBe(Infinity);
  });

  it('without its file is the adapter alone, as PEFT reads it', () => {
    const files = writePeft(config, gated, flat, 'base').filter(
      ({ name }) => name !== ADAPTER_GATES,
    );
    expect(readPeft(config, files).spec).toEqual(plain);
  });

  it('starts with the factors of one without', () => {
    const without = initAdapter(config, plain, 3);
    expect(flat.subarray(0, without.length)).toEqual(without);
  });

  it.each([
    ['Λ is missing', 'thinking_residual_Lambda', /Lambda" is missing/],
    ['where it starts is missing', 'first_range', /first_range" is missing/],
  ])('is refused where %s', (_, part, message) => {
    const files = writePeft(config, gated, flat, 'base').map(({ name, bytes }) => {
      if (name !== ADAPTER_GATES) return { name, bytes };
      const tensors = new Map([...readSafetensors(bytes)].filter(([key]) => !key.includes(part)));
      return { name, bytes: writeSafetensors(tensors) };
    });
    expect(() => readPeft(config, files)).toThrow(message);
  });

  it('cannot be folded into a checkpoint, which has no place for gates', () => {
    expect(() => mergeAdapter(initWeights(config, 1), gated, flat)).toThrow(
      /gates of latent reasoning, which cannot be folded into a checkpoint/,
    );
  });

  it('must start in (0, 1]', () => {
    const over = { ...plain, gates: { rMin: 0.5, rMax: 1.5 } };
    expect(() => initAdapter(config, over, 1)).toThrow(/gates must start in \(0, 1\]/);
  });
});
