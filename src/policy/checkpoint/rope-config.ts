import { z } from 'zod';
import type { RopeScaling } from './rope.ts';

const positive = z.number().positive();

/**
 * Rotary settings in `config.json`: `rope_parameters` (transformers 5), or `rope_scaling` beside
 * `rope_theta` (before). `type` is the older name of `rope_type`.
 */
export const ropeSchema = z
  .looseObject({
    rope_type: z.string().nullish(),
    type: z.string().nullish(),
    rope_theta: positive.nullish(),
    factor: z.number().nullish(),
    original_max_position_embeddings: positive.nullish(),
    low_freq_factor: positive.nullish(),
    high_freq_factor: positive.nullish(),
    attention_factor: positive.nullish(),
    beta_fast: z.number().nonnegative().nullish(),
    beta_slow: z.number().nonnegative().nullish(),
    mscale: z.number().nullish(),
    mscale_all_dim: z.number().nullish(),
    truncate: z.boolean().nullish(),
    partial_rotary_factor: z.number().nullish(),
  })
  .nullish();

export type RawRope = z.infer<typeof ropeSchema>;
type Given = NonNullable<RawRope>;

export interface ParsedRope {
  readonly scaling: RopeScaling;
  /** Most positions for which the scaling is what was asked for; null: the config's own. */
  readonly limit: number | null;
  readonly faults: readonly string[];
}

const needed = (given: Given, type: string, names: readonly (keyof Given)[]): string[] =>
  names
    .filter((name) => typeof given[name] !== 'number')
    .map((name) => `rope_type "${type}" needs ${name}, which is missing`);

const grown = (factor: number, scale = 1): number =>
  factor <= 1 ? 1 : 0.1 * scale * Math.log(factor) + 1;

/** The factor of attention that YaRN's authors found (equation 22), or that the config states. */
function yarnAttention(given: Given, factor: number): number {
  if (typeof given.attention_factor === 'number') return given.attention_factor;
  const { mscale, mscale_all_dim: all } = given;
  return mscale && all ? grown(factor, mscale) / grown(factor, all) : grown(factor);
}

function yarn(given: Given, theta: number, positions: number): ParsedRope {
  const originalPositions = given.original_max_position_embeddings ?? positions;
  const factor = given.factor ?? positions / originalPositions;
  const faults = factor >= 1 ? [] : [`rope factor is ${factor}; "yarn" needs 1 or more`];
  if (theta <= 1) faults.push(`rope_theta is ${theta}; "yarn" needs more than 1`);
  return {
    scaling: {
      type: 'yarn',
      factor,
      attentionFactor: yarnAttention(given, factor),
      betaFast: given.beta_fast || 32,
      betaSlow: given.beta_slow || 1,
      truncate: given.truncate ?? true,
      originalPositions,
    },
    limit: null,
    faults,
  };
}

function llama3(given: Given, positions: number): ParsedRope {
  const faults = needed(given, 'llama3', ['factor', 'low_freq_factor', 'high_freq_factor']);
  const [low, high] = [given.low_freq_factor ?? 1, given.high_freq_factor ?? 4];
  if (high <= low) faults.push(`high_freq_factor (${high}) must be above low_freq_factor (${low})`);
  return {
    scaling: {
      type: 'llama3',
      factor: given.factor ?? 1,
      lowFrequencyFactor: low,
      highFrequencyFactor: high,
      originalPositions: given.original_max_position_embeddings ?? positions,
    },
    limit: null,
    faults,
  };
}

const plain = (faults: readonly string[] = [], limit: number | null = null): ParsedRope => ({
  scaling: { type: 'default' },
  limit,
  faults,
});

/**
 * Reads rotary settings. Supported: `default`; `linear`; `llama3`; `yarn`; and `dynamic` (NTK) up to
 * `max_position_embeddings`, below which it is the default (the context is limited to that).
 *
 * @param raw the settings as they stand
 * @param theta base of the frequencies
 * @param positions `max_position_embeddings`
 */
export function parseRope(raw: RawRope, theta: number, positions: number): ParsedRope {
  if (!raw) return plain();
  const type = raw.rope_type ?? raw.type ?? 'default';
  const part = raw.partial_rotary_factor ?? 1;
  const general = part === 1 ? [] : [`partial_rotary_factor is ${part}; only 1 is supported`];
  if (typeof raw.factor === 'number' && !(raw.factor > 0))
    general.push(`rope factor is ${raw.factor}; it must be above 0`);
  const nested = Object.entries(raw).find(([, v]) => typeof v === 'object' && v !== null);
  if (nested && !nested[0].endsWith('_factor'))
    general.push(
      `rope_parameters.${nested[0]} is given by kind of layer; one for all is supported`,
    );
  const withGeneral = (parsed: ParsedRope): ParsedRope => ({
    ...parsed,
    faults: [...general, ...parsed.faults],
  });
  switch (type) {
    case 'default':
      return withGeneral(plain());
    case 'dynamic':
      return withGeneral(plain(needed(raw, type, ['factor']), positions));
    case 'linear': {
      const scaling: RopeScaling = { type: 'linear', factor: raw.factor ?? 1 };
      return withGeneral({ scaling, limit: null, faults: needed(raw, type, ['factor']) });
    }
    case 'llama3':
      return withGeneral(llama3(raw, positions));
    case 'yarn':
      return withGeneral(yarn(raw, theta, positions));
    default:
      return withGeneral(
        plain([
          `rope_type is "${type}"; "default", "linear", "dynamic", "llama3" and "yarn" are supported`,
        ]),
      );
  }
}
