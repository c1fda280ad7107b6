import { z } from 'zod';

/**
 * How recipes did that studies of this repository trained unchanged, with the shipped policy, so that a first
 * visitor sees what to expect of one before any of it ran there.
 */

const expectedCurveSchema = z.strictObject({
  /** `search/grpo` */
  training: z.string(),
  /** What the model was taught before the first step, where that is not the recipe's own start. */
  start: z.literal('not-searching').optional(),
  seeds: z.array(z.int()).min(1),
  /** Names of the worlds that were trained on, as `results.json` has them. */
  worlds: z.array(z.string()).min(1),
  /** Held-out dev questions of each score. */
  questions: z.int().min(1),
  /** [step, exact match as a mean over the trainings]; step 0 is before the first, after a warm-up. */
  em: z.array(z.tuple([z.int().min(0), z.number().min(0).max(1)])).min(2),
});
export type ExpectedCurve = z.infer<typeof expectedCurveSchema>;

const expectedCurvesSchema = z.strictObject({
  format: z.literal('forage.expected-curves/1'),
  policy: z.strictObject({ id: z.string(), revision: z.string() }),
  curves: z.array(expectedCurveSchema),
});
export type ExpectedCurves = z.infer<typeof expectedCurvesSchema>;

/** The built-in world, as studies name it: a run of the page repeats a curve of seed 0 on it from its first score on. */
export const BUILT_IN_WORLD = 'seed20250619';

/** Reads them when they are asked for. */
export const loadExpectedCurves = async (): Promise<ExpectedCurves> =>
  expectedCurvesSchema.parse(
    (await import('../../../training/studies/results/curves.json')).default,
  );
