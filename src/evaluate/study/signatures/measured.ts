import results from '../../../../training/studies/results/signatures.json' with { type: 'json' };
import { z } from 'zod';
import { verdictsSchema, type Verdict } from './verdict.ts';

/** What the studies of this repository measured of the signatures of recipes. */

const measured = z.parse(verdictsSchema, results);

/** The policy that they were measured with; null before the first. */
export const measuredPolicy = measured.policy;

/** Verdicts of a recipe, in the order of their claims; empty where no study asks for it. */
export const verdictsFor = (recipe: string): readonly Verdict[] =>
  measured.verdicts.filter((one) => one.recipe === recipe);
