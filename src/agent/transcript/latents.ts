import { sum } from '../../base/statistics.ts';
import type { LatentTokens } from '../../policy/policy.ts';
import type { Rollout } from '../../records/rollout.ts';

/**
 * What rollouts read as mixtures (`policy/latent/gates.ts`). A record says how many tokens that were; the mixtures
 * themselves, a row of the policy's width each, would be most of it, and only the step that made a rollout trains on it.
 * So they are held beside it while it is in memory, and stored nowhere: a step that was cut short is sampled again.
 */

/** Neighbouring tokens of one context. */
export interface LatentPart extends LatentTokens {
  /** Place of the first one in the context. */
  start: number;
}

const HELD = new WeakMap<Rollout, readonly LatentPart[]>();

/** Says in the record what was latent, and holds what it was. */
export function holdLatents(rollout: Rollout, parts: readonly LatentPart[]): void {
  const tokens = sum(parts.map(({ count }) => count));
  if (tokens === 0) return;
  rollout.latent = { tokens, gate: sum(parts.map(({ count, gate }) => count * gate)) / tokens };
  HELD.set(rollout, parts);
}

/**
 * Places in the context, rising, and h of each, [places, hidden size]; null where the rollout used only tokens.
 * @throws Error where it read mixtures, and they were not kept
 */
export function latentsOf(
  rollout: Pick<Rollout, 'id' | 'latent'>,
): { positions: Int32Array; hidden: Float32Array } | null {
  if (!rollout.latent) return null;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a key that was never set is not found
  const parts = HELD.get(rollout as Rollout);
  if (!parts)
    throw new Error(
      `rollout ${rollout.id}: it used latent thinking, which is not recorded, so it cannot be trained on again`,
    );
  const hidden = new Float32Array(sum(parts.map((part) => part.hidden.length)));
  let at = 0;
  for (const part of parts) {
    hidden.set(part.hidden, at);
    at += part.hidden.length;
  }
  const positions = parts.flatMap(({ start, count }) =>
    Array.from({ length: count }, (_, i) => start + i),
  );
  return { positions: Int32Array.from(positions), hidden };
}

/** Sequences with what their rollouts read as mixtures. @throws Error as `latentsOf` */
export const withLatents = <S extends { rollout: Rollout }>(sequences: readonly S[]): S[] =>
  sequences.map((one) => {
    const latents = latentsOf(one.rollout);
    return latents ? { ...one, latents } : one;
  });
