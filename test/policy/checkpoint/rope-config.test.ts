import { describe, expect, it } from 'vitest';
import { parseRope, ropeSchema, type RawRope } from '../../../src/policy/checkpoint/rope-config.ts';

/** With θ = 10,000 and 4096 positions. */
const parse = (raw: RawRope, theta = 10_000) => parseRope(raw, theta, 4096);
const yarn = (change: Partial<NonNullable<RawRope>> = {}) =>
  parse({ rope_type: 'yarn', factor: 4, ...change });

describe('settings without scaling', () => {
  it.each([[null], [undefined], [{}], [{ rope_type: 'default' }], [{ type: 'default' }]])(
    '%o are the default',
    (raw) => {
      expect(parse(raw)).toEqual({ scaling: { type: 'default' }, limit: null, faults: [] });
    },
  );

  it('of dynamic NTK are the default up to the positions of the checkpoint', () => {
    expect(parse({ type: 'dynamic', factor: 2 })).toEqual({
      scaling: { type: 'default' },
      limit: 4096,
      faults: [],
    });
    expect(parse({ type: 'dynamic' }).faults).toEqual([
      'rope_type "dynamic" needs factor, which is missing',
    ]);
  });
});

describe('linear', () => {
  it('divides by its factor, which it needs', () => {
    expect(parse({ rope_type: 'linear', factor: 2 })).toEqual({
      scaling: { type: 'linear', factor: 2 },
      limit: null,
      faults: [],
    });
    expect(parse({ rope_type: 'linear' })).toEqual({
      scaling: { type: 'linear', factor: 1 },
      limit: null,
      faults: ['rope_type "linear" needs factor, which is missing'],
    });
  });

  it('is named by the newer key where both stand', () => {
    expect(parse({ rope_type: 'linear', type: 'yarn', factor: 2 }).scaling.type).toBe('linear');
  });
});

describe('llama3', () => {
  const given = { rope_type: 'llama3', factor: 8, low_freq_factor: 1, high_freq_factor: 4 };

  it('is read as it stands', () => {
    expect(parse({ ...given, original_max_position_embeddings: 1024 })).toEqual({
      scaling: {
        type: 'llama3',
        factor: 8,
        lowFrequencyFactor: 1,
        highFrequencyFactor: 4,
        originalPositions: 1024,
      },
      limit: null,
      faults: [],
    });
    expect(parse(given).scaling).toMatchObject({ originalPositions: 4096 });
  });

  it('needs its three factors', () => {
    expect(parse({ rope_type: 'llama3' })).toEqual({
      scaling: {
        type: 'llama3',
        factor: 1,
        lowFrequencyFactor: 1,
        highFrequencyFactor: 4,
        originalPositions: 4096,
      },
      limit: null,
      faults: ['factor', 'low_freq_factor', 'high_freq_factor'].map(
        (name) => `rope_type "llama3" needs ${name}, which is missing`,
      ),
    });
  });

  it.each([
    [4, 4, ['high_freq_factor (4) must be above low_freq_factor (4)']],
    [5, 4, ['high_freq_factor (4) must be above low_freq_factor (5)']],
    [3.9, 4, []],
  ])('low %f and high %f', (low, high, faults) => {
    expect(parse({ ...given, low_freq_factor: low, high_freq_factor: high }).faults).toEqual(
      faults,
    );
  });
});

describe('yarn', () => {
  it('has the defaults of its authors', () => {
    expect(yarn()).toEqual({
      scaling: {
        type: 'yarn',
        factor: 4,
        // Equation 22: 0.1 ln 4 + 1.
        attentionFactor: 0.1 * Math.log(4) + 1,
        betaFast: 32,
        betaSlow: 1,
        truncate: true,
        originalPositions: 4096,
      },
      limit: null,
      faults: [],
    });
  });

  it('takes what is stated', () => {
    const stated = {
      attention_factor: 1.5,
      beta_fast: 16,
      beta_slow: 2,
      truncate: false,
      original_max_position_embeddings: 1024,
    };
    expect(yarn(stated).scaling).toEqual({
      type: 'yarn',
      factor: 4,
      attentionFactor: 1.5,
      betaFast: 16,
      betaSlow: 2,
      truncate: false,
      originalPositions: 1024,
    });
    // transformers takes a β of 0 for one that is not given.
    expect(yarn({ beta_fast: 0, beta_slow: 0 }).scaling).toMatchObject({
      betaFast: 32,
      betaSlow: 1,
    });
  });

  it('stretches the original positions to those of the checkpoint where no factor stands', () => {
    const { scaling, faults } = parse({ type: 'yarn', original_max_position_embeddings: 1024 });
    expect(scaling).toMatchObject({ factor: 4, originalPositions: 1024 });
    expect(faults).toEqual([]);
  });

  it.each([
    // 0.1 m ln s + 1 of mscale over that of mscale_all_dim; without both, of 1 alone.
    [{ mscale: 2, mscale_all_dim: 0.5 }, (0.2 * Math.log(4) + 1) / (0.05 * Math.log(4) + 1)],
    [{ mscale: 2 }, 0.1 * Math.log(4) + 1],
    [{ mscale_all_dim: 2 }, 0.1 * Math.log(4) + 1],
    [{ mscale: 2, mscale_all_dim: 0 }, 0.1 * Math.log(4) + 1],
    [{ factor: 1 }, 1],
    [{ factor: 1, mscale: 2, mscale_all_dim: 1 }, 1],
  ])('with %o attention grows by %f', (change, wanted) => {
    const { scaling } = yarn(change);
    expect(scaling.type === 'yarn' && scaling.attentionFactor).toBeCloseTo(wanted, 12);
  });

  it.each([
    [0.5, 10_000, ['rope factor is 0.5; "yarn" needs 1 or more']],
    [1, 10_000, []],
    [4, 1, ['rope_theta is 1; "yarn" needs more than 1']],
    [4, 1.01, []],
  ])('of factor %f and θ %f', (factor, theta, faults) => {
    expect(parse({ rope_type: 'yarn', factor }, theta).faults).toEqual(faults);
  });
});

describe('what no scaling supports', () => {
  it.each([
    [{ partial_rotary_factor: 0.5 }, 'partial_rotary_factor is 0.5; only 1 is supported'],
    [{ factor: 0 }, 'rope factor is 0; it must be above 0'],
    [{ factor: -2 }, 'rope factor is -2; it must be above 0'],
    [
      { full_attention: { rope_type: 'default' } },
      'rope_parameters.full_attention is given by kind of layer; one for all is supported',
    ],
    [
      { rope_type: 'longrope' },
      'rope_type is "longrope"; "default", "linear", "dynamic", "llama3" and "yarn" are supported',
    ],
  ])('%o is a fault', (raw, fault) => {
    expect(parse(raw).faults).toEqual([fault]);
  });

  it('comes before the faults of the kind', () => {
    expect(parse({ rope_type: 'linear', partial_rotary_factor: 0.5 }).faults).toEqual([
      'partial_rotary_factor is 0.5; only 1 is supported',
      'rope_type "linear" needs factor, which is missing',
    ]);
    expect(parse({ partial_rotary_factor: 1, factor: 0.5 }).faults).toEqual([]);
    // Lists of factors by dimension name no kind of layer; a null stands for nothing.
    expect(parse({ long_factor: [1, 2], other: null }).faults).toEqual([]);
  });
});

it.each([
  [{ rope_theta: 0 }, false],
  [{ low_freq_factor: 0 }, false],
  [{ attention_factor: 0 }, false],
  [{ original_max_position_embeddings: 0 }, false],
  [{ beta_fast: -1 }, false],
  [{ beta_fast: 0, beta_slow: 0 }, true],
  [{ factor: 'two' }, false],
  [{ truncate: 'no' }, false],
  [null, true],
  [undefined, true],
  [{ unknown: 1 }, true],
])('%o is well formed: %s', (raw, wanted) => {
  expect(ropeSchema.safeParse(raw).success).toBe(wanted);
});
