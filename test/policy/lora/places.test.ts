import { describe, expect, it } from 'vitest';
import { LORA_TARGETS, loraSize, loraSlots, targetShape } from '../../../src/policy/lora/spec.ts';

const config = {
  vocabSize: 8,
  hiddenSize: 10,
  layers: 2,
  heads: 4,
  kvHeads: 2,
  headDim: 3,
  intermediateSize: 7,
  rmsNormEps: 1e-6,
  ropeTheta: 100,
  tieWordEmbeddings: true,
  maxPositions: 64,
};

describe('shapes of adapters', () => {
  it.each([
    // [out, in] with 12 query and 6 key dimensions
    ['q_proj', [12, 10]],
    ['k_proj', [6, 10]],
    ['v_proj', [6, 10]],
    ['o_proj', [10, 12]],
    ['gate_proj', [7, 10]],
    ['up_proj', [7, 10]],
    ['down_proj', [10, 7]],
  ] as const)('%s is %o', (target, shape) => {
    expect(targetShape(config, target)).toEqual(shape);
  });

  it('factors stand by layer, by target, A before B, end to end, under the names of PEFT', () => {
    // The order of the targets is that of the layer, whatever order they are asked for in.
    const spec = { rank: 2, alpha: 4, targets: ['down_proj', 'k_proj'] as const };
    const slots = loraSlots(config, spec);
    const rows = slots.map(({ layer, target, factor, shape, offset, length }) => [
      layer,
      target,
      factor,
      ...shape,
      offset,
      length,
    ]);
    expect(rows).toEqual([
      [0, 'k_proj', 'A', 2, 10, 0, 20],
      [0, 'k_proj', 'B', 6, 2, 20, 12],
      [0, 'down_proj', 'A', 2, 7, 32, 14],
      [0, 'down_proj', 'B', 10, 2, 46, 20],
      [1, 'k_proj', 'A', 2, 10, 66, 20],
      [1, 'k_proj', 'B', 6, 2, 86, 12],
      [1, 'down_proj', 'A', 2, 7, 98, 14],
      [1, 'down_proj', 'B', 10, 2, 112, 20],
    ]);
    expect(loraSize(config, spec)).toBe(132);
    expect(slots[1]?.name).toBe('base_model.model.model.layers.0.self_attn.k_proj.lora_B.weight');
    expect(slots[6]?.name).toBe('base_model.model.model.layers.1.mlp.down_proj.lora_A.weight');
  });

  it.each(LORA_TARGETS)('%s stands in the module that checkpoints keep it in', (target) => {
    const [slot] = loraSlots(config, { rank: 1, alpha: 1, targets: [target] });
    const module = ['gate_proj', 'up_proj', 'down_proj'].includes(target) ? 'mlp' : 'self_attn';
    expect(slot?.name).toBe(`base_model.model.model.layers.0.${module}.${target}.lora_A.weight`);
  });
});
