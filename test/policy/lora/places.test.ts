import { describe, expect, it } from 'vitest';
import { eachHead } from '../../../src/policy/lora/each-head.ts';
import { headRows, padBatch } from '../../../src/policy/lora/jax/padding.ts';
import { LORA_TARGETS, loraSize, loraSlots, targetShape } from '../../../src/policy/lora/spec.ts';
import { packBatch } from '../../../src/policy/lora/train-batch.ts';

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

const sequence = (length: number, trained: readonly number[] = []) => ({
  ids: Array.from({ length }, (_, i) => i),
  weights: Array.from({ length }, (_, i) => Number(trained.includes(i))),
});

describe('heads of a packed batch', () => {
  it('lie, in bytes, where [heads, N, 3], [kvHeads, N, 3], [N, heads, 3] and [heads, N] have them', () => {
    const visits: number[][] = [];
    eachHead(config, packBatch([sequence(2), sequence(3)]), (...place) => visits.push(place));
    // N = 5. Heads 0 and 1 read keys of group 0, heads 2 and 3 of group 1.
    const floats = [
      [0, 0, 0, 0, 2],
      [15, 0, 3, 5, 2],
      [30, 15, 6, 10, 2],
      [45, 15, 9, 15, 2],
      [6, 6, 24, 2, 3],
      [21, 6, 27, 7, 3],
      [36, 21, 30, 12, 3],
      [51, 21, 33, 17, 3],
    ];
    const bytes = floats.map(([q = 0, k = 0, o = 0, l = 0, n = 0]) => [
      4 * q,
      4 * k,
      4 * o,
      4 * l,
      n,
    ]);
    expect(visits).toEqual(bytes);
  });
});

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

describe('rectangles of a padded batch', () => {
  const shapes = (lengths: readonly number[], most: number): number[][] =>
    padBatch(packBatch(lengths.map((length) => sequence(length))), most).map(
      ({ sequences, tokens }) => [sequences, tokens],
    );

  it.each([
    // Lengths are rounded up to 32; the longest of a rectangle is the length of all.
    [[32], 1024, [[1, 32]]],
    [[33], 1024, [[1, 64]]],
    [[1, 32, 33], 1024, [[3, 64]]],
    [[64, 32], 128, [[2, 64]]],
    // Exactly the limit still fits, one token less does not.
    [[32, 32, 32], 96, [[3, 32]]],
    [
      [32, 32, 32],
      95,
      [
        [2, 32],
        [1, 32],
      ],
    ],
    // A longer one would pad those before it over the limit.
    [
      [32, 32, 64],
      128,
      [
        [2, 32],
        [1, 64],
      ],
    ],
    // One alone is taken, however long.
    [
      [70, 10],
      64,
      [
        [1, 96],
        [1, 32],
      ],
    ],
  ] as const)('of lengths %o within %i tokens are %o', (lengths, most, wanted) => {
    expect(shapes(lengths, most)).toEqual(wanted);
  });

  it('know where their sequences begin, and where each trained row went', () => {
    const batch = packBatch([sequence(3, [1, 2]), sequence(2, [1]), sequence(40, [1, 39])]);
    const parts = padBatch(batch, 64);
    // Row r predicts token r + 1: rows 0 and 1 of the first, 3 of the second, 5 and 43 of the third.
    expect([...batch.rows]).toEqual([0, 1, 3, 5, 43]);
    expect(parts).toEqual([
      {
        sequences: 2,
        tokens: 32,
        starts: [0, 3],
        lengths: [3, 2],
        rows: [
          { place: 0, row: 0 },
          { place: 1, row: 1 },
          { place: 2, row: 32 },
        ],
      },
      {
        sequences: 1,
        tokens: 64,
        starts: [5],
        lengths: [40],
        rows: [
          { place: 3, row: 0 },
          { place: 4, row: 38 },
        ],
      },
    ]);
    expect(padBatch(packBatch([]), 64)).toEqual([]);
  });

  it('give the output layer fewer rows at a time from vocabularies of more than 32,768 tokens on', () => {
    expect([100, 32_768, 32_769, 151_936].map(headRows)).toEqual([192, 192, 64, 64]);
    // Float32 logits of the largest published vocabularies stay below 128 MiB.
    expect(headRows(262_144) * 262_144 * 4).toBeLessThanOrEqual(128 * 2 ** 20);
  });
});
