import { describe, expect, it } from 'vitest';
import { adamW, clipScale, globalNorm } from '../../../src/policy/lora/optimizer.ts';
import { DEFAULT_UPDATE, scheduleFactor } from '../../../src/pretrain/policy/plan.ts';
import {
  isMuonSlot,
  muon,
  Orthogonaliser,
  updateSlot,
} from '../../../src/pretrain/policy/updater.ts';
import { Random } from '../../../src/base/random.ts';

const zeros = (n: number): Float32Array => new Float32Array(n);

describe('AdamW', () => {
  it('takes the two first steps that one computes by hand', () => {
    const t = {
      values: Float32Array.of(1),
      gradient: Float32Array.of(2),
      first: zeros(1),
      second: zeros(1),
    };
    const options = { ...DEFAULT_UPDATE, lr: 0.1, gradientScale: 0.5 };
    // g = 1: m̂ = v̂ = 1, so the step is lr; decay takes 0.1 · 0.2 = 2 % first: 0.98 − 0.1.
    adamW(t, { ...options, step: 1 }, 0.2);
    expect(t.values[0]).toBeCloseTo(0.88, 6);
    // g = −1: m = 0.9·0.1 − 0.1 = −0.01, m̂ = −0.01/0.19; v = 0.0975, v̂ = 0.0975/0.0975 = 1.
    t.gradient[0] = -2;
    adamW(t, { ...options, step: 2 }, 0.2);
    expect(t.values[0]).toBeCloseTo(0.88 * 0.98 + (0.1 * 0.01) / 0.19, 6);
  });
});

describe('Muon', () => {
  it('moves singular values to about 1 and keeps singular vectors', async () => {
    const o = await Orthogonaliser.create(16, 16 * 48);
    const random = new Random(3);
    for (const [rows, columns] of [
      [16, 48],
      [48, 16],
      [16, 16],
    ] as const) {
      const x = zeros(rows * columns);
      random.fillNormal(x, 3);
      const before = x.slice();
      o.apply(x, rows, columns);
      const at = (m: Float32Array, r: number, c: number): number =>
        rows <= columns ? m[r * columns + c]! : m[c * columns + r]!;
      const [short, long] = [Math.min(rows, columns), Math.max(rows, columns)];
      let off = 0;
      let inner = 0;
      for (let i = 0; i < short; i++)
        for (let j = 0; j < short; j++) {
          let dot = 0;
          let cross = 0;
          for (let k = 0; k < long; k++) {
            dot += at(x, i, k) * at(x, j, k);
            cross += at(x, i, k) * at(before, j, k);
          }
          if (i === j) {
            // Muon's coefficients aim at singular values in about [0.7, 1.2], not at 1.
            expect(dot).toBeGreaterThan(0.4);
            expect(dot).toBeLessThan(1.5);
            inner += cross;
          } else off = Math.max(off, Math.abs(dot));
        }
      expect(off).toBeLessThan(0.4);
      // U Vᵀ has a positive inner product with U S Vᵀ.
      expect(inner).toBeGreaterThan(0);
    }
  });

  it('follows its quintic on a diagonal matrix', async () => {
    const o = await Orthogonaliser.create(8, 64);
    const diagonal = [4, 3, 2, 1, 0.5, 0.25, 0.1, 0];
    const x = zeros(64);
    diagonal.forEach((d, i) => (x[i * 9] = d));
    const norm = Math.hypot(...diagonal);
    o.apply(x, 8, 8);
    diagonal.forEach((d, i) => {
      let s = d / norm;
      for (let k = 0; k < 5; k++) s = 3.4445 * s - 4.775 * s ** 3 + 2.0315 * s ** 5;
      expect(x[i * 9]).toBeCloseTo(s, 4);
    });
  });

  it('takes a Nesterov step scaled by the shape', async () => {
    const o = await Orthogonaliser.create(8, 128);
    const gradient = zeros(128);
    for (let i = 0; i < 8; i++) gradient[i * 9] = 1;
    const t = { values: zeros(128).fill(1), gradient, first: zeros(128), second: zeros(128) };
    const options = { ...DEFAULT_UPDATE, muonLr: 0.1, weightDecay: 0.5, step: 1, gradientScale: 2 };
    muon(t, 16, 8, options, o);
    // Momentum 0.05 · 2; all eight singular values are equal, so each starts at 1/√8.
    expect(t.first[0]).toBeCloseTo(0.1, 6);
    let s = 1 / Math.sqrt(8);
    for (let k = 0; k < 5; k++) s = 3.4445 * s - 4.775 * s ** 3 + 2.0315 * s ** 5;
    expect(t.values[0]).toBeCloseTo(0.95 - 0.1 * Math.SQRT2 * s, 4);
    expect(t.values[1]).toBeCloseTo(0.95, 6);
  });
});

describe('which rule a tensor follows', () => {
  const slot = (name: string, shape: number[]) => ({ name, shape, offset: 0, length: 64 });
  const layer = 'model.layers.0.mlp.up_proj.weight';

  it.each([
    [layer, [8, 8], true],
    ['model.layers.0.input_layernorm.weight', [64], false],
    ['model.embed_tokens.weight', [8, 8], false],
    ['lm_head.weight', [8, 8], false],
  ])('%s of shape %o is Muon’s: %s', (name, shape, wanted) => {
    expect(isMuonSlot(slot(name, shape))).toBe(wanted);
  });

  it.each([
    // Without a gradient what changes is the decay alone: 0.1 · 0.5 of Muon's rate, 0.2 · 0.5 of AdamW's.
    ['muon', layer, [8, 8], 0.95],
    ['adamw', layer, [8, 8], 0.9],
    // Norms and embeddings are spared.
    ['muon', 'model.norm.weight', [64], 1],
    ['adamw', 'model.layers.0.input_layernorm.weight', [64], 1],
    ['adamw', 'model.embed_tokens.weight', [8, 8], 1],
  ] as const)('%s takes %s of shape %o to %f', async (optimizer, name, shape, wanted) => {
    const t = {
      values: zeros(64).fill(1),
      gradient: zeros(64),
      first: zeros(64),
      second: zeros(64),
    };
    const options = {
      ...DEFAULT_UPDATE,
      optimizer,
      lr: 0.2,
      muonLr: 0.1,
      weightDecay: 0.5,
      step: 1,
      gradientScale: 1,
    };
    updateSlot(slot(name, [...shape]), t, options, await Orthogonaliser.create(8, 64));
    for (const value of t.values) expect(value).toBeCloseTo(wanted, 6);
  });
});

describe('schedule and clipping', () => {
  it('rises, stays, falls', () => {
    const wsd = { kind: 'wsd', steps: 100, warmUp: 10, decayShare: 0.2 } as const;
    expect([0, 9, 50, 80, 90, 100].map((s) => scheduleFactor(s, wsd))).toEqual([
      0.1, 1, 1, 1, 0.5, 0,
    ]);
    const cosine = { ...wsd, kind: 'cosine' } as const;
    expect(scheduleFactor(10, cosine)).toBe(1);
    expect(scheduleFactor(55, cosine)).toBeCloseTo(0.5, 10);
    expect(scheduleFactor(100, cosine)).toBeCloseTo(0, 10);
    // A third of the way: cos(π/3) = 1/2. After the end it stays at 0.
    expect(scheduleFactor(40, cosine)).toBeCloseTo(0.75, 10);
    expect([101, 150].map((s) => scheduleFactor(s, cosine))).toEqual([0, 0]);
    expect([101, 150].map((s) => scheduleFactor(s, wsd))).toEqual([0, 0]);
    // Nothing but a warm-up, and no warm-up at all.
    expect(scheduleFactor(10, { ...cosine, steps: 10 })).toBe(1);
    expect(scheduleFactor(0, { ...wsd, warmUp: 0 })).toBe(1);
    // A decay of no step is one of the last.
    const late = { ...wsd, decayShare: 0 };
    expect([98, 99, 100].map((s) => scheduleFactor(s, late))).toEqual([1, 1, 0]);
  });

  it('scales only gradients over the limit', () => {
    expect(globalNorm(Float32Array.of(3, 4))).toBe(5);
    expect([clipScale(5, 1), clipScale(5, 10), clipScale(5, 0)]).toEqual([0.2, 1, 1]);
    expect([clipScale(5, 5), clipScale(0, 0), clipScale(0, 1)]).toEqual([1, 1, 1]);
    expect(globalNorm(new Float32Array(0))).toBe(0);
  });
});
