import { z } from 'zod';
import type { HeldOutScore, MadeStep } from '../../records/training.ts';

/** What a study keeps of a step of a training. */

const heldOutSchema = z.strictObject({
  n: z.number(),
  em: z.number(),
  f1: z.number(),
  searches: z.number(),
});

export const curvePointSchema = z.strictObject({
  /** 0: before the first step, after a warm-up. */
  step: z.int().min(0),
  /** Means over the rollouts of the step; null at step 0. */
  reward: z.number().nullable(),
  em: z.number().nullable(),
  searches: z.number().nullable(),
  /** Queries of the step that got the fallback sentence; absent where rollouts read no summaries. */
  fallbacks: z.int().min(0).optional(),
  /**
   * Rollouts and groups that were made, groups of equal rewards among them, share of trained tokens whose gradient was
   * clipped away, and the norm of the gradient; absent at step 0, and of trainings before they were kept.
   */
  rollouts: z.int().min(0).optional(),
  groups: z.int().min(0).optional(),
  zeroVarianceGroups: z.int().min(0).optional(),
  clipShare: z.number().optional(),
  gradientNorm: z.number().optional(),
  /** To the start, nats a token the policy wrote, before the step's update; absent where the step did not measure it. */
  kl: z.number().optional(),
  /** Mean ratio of the tokens of trained probes after the step's updates (REX-RAG). */
  probeRatio: z.number().optional(),
  /** Dev questions of the world that is trained on, where they were scored after the step. */
  heldOut: heldOutSchema.nullable(),
  seconds: z.number(),
});
export type CurvePoint = z.infer<typeof curvePointSchema>;

const short = (value: number): number => Number(value.toFixed(5));

const heldOutOf = ({ n, em, f1, searches }: HeldOutScore): CurvePoint['heldOut'] => ({
  n,
  em: short(em),
  f1: short(f1),
  searches: short(searches),
});

/** The policy before its first step, after a warm-up. */
export const startPoint = (heldOut: HeldOutScore): CurvePoint => ({
  step: 0,
  reward: null,
  em: null,
  searches: null,
  heldOut: heldOutOf(heldOut),
  seconds: 0,
});

export const pointOf = (step: MadeStep): CurvePoint => ({
  step: step.step,
  reward: short(step.reward.mean),
  em: short(step.em),
  searches: short(step.searches),
  fallbacks: step.fallbacks,
  rollouts: step.rollouts,
  groups: step.groups,
  zeroVarianceGroups: step.zeroVarianceGroups,
  clipShare: short(step.clipShare),
  gradientNorm: short(step.gradientNorm),
  ...(step.kl !== null && { kl: Number(step.kl.toPrecision(5)) }),
  ...(step.probeRatio !== undefined && { probeRatio: short(step.probeRatio) }),
  heldOut: step.heldOut && heldOutOf(step.heldOut),
  seconds: short(step.seconds.total),
});
