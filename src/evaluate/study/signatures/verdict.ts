import { z } from 'zod';

/** What was measured of the claims of recipes: a file that studies write, and that pages and commands read. */

const OUTCOMES = ['shown', 'not shown', 'contradicted', 'not measured'] as const;
export type Outcome = (typeof OUTCOMES)[number];

const verdictSchema = z.strictObject({
  recipe: z.string(),
  claim: z.string(),
  /** Name of the study. */
  study: z.string(),
  outcome: z.enum(OUTCOMES),
  /** Of the number: what it is called, and how it is written. */
  title: z.string(),
  unit: z.enum(['percent', 'count', 'share']),
  /** What was compared with what, over which questions, and what was expected, as text. */
  compared: z.string(),
  /** Null where it was not measured; its ends are where it has no interval. */
  difference: z
    .union([
      z.strictObject({ mean: z.number(), low: z.number(), high: z.number() }),
      z.strictObject({ mean: z.number(), low: z.null(), high: z.null() }),
    ])
    .nullable(),
  /** Of the interval. */
  level: z.number(),
  /** What the difference is a mean over; questions where it is absent. */
  over: z.literal('steps').optional(),
  /** Questions, or steps of a training. */
  n: z.int().min(0),
  /** Training seeds; empty without training. */
  seeds: z.array(z.int()),
  worlds: z.array(z.string()),
});
export type Verdict = z.infer<typeof verdictSchema>;

export const verdictsSchema = z.strictObject({
  format: z.literal('forage.signatures/1'),
  /** The policy of all of them; null of an empty file. */
  policy: z.strictObject({ id: z.string(), revision: z.string() }).nullable(),
  verdicts: z.array(verdictSchema),
});
type Verdicts = z.infer<typeof verdictsSchema>;

/** As a file, a verdict a line. */
export function encodeVerdicts({ verdicts, ...head }: Verdicts): string {
  const lines = verdicts.map((one) => JSON.stringify(one)).join(',\n');
  return `${JSON.stringify(head).slice(0, -1)},"verdicts":[\n${lines}\n]}\n`;
}

/**
 * A file with the verdicts of one study in place of those that it had of it. Those of another policy go: a file is of one.
 */
export function withStudy(
  file: Readonly<Omit<Verdicts, 'verdicts'>> & { readonly verdicts: readonly Verdict[] },
  study: string,
  { policy, verdicts }: Pick<Verdicts, 'verdicts'> & { policy: { id: string; revision: string } },
): Verdicts {
  const kept = file.policy?.revision === policy.revision ? file.verdicts : [];
  const all = [...kept.filter((one) => one.study !== study), ...verdicts];
  return {
    format: 'forage.signatures/1',
    policy,
    verdicts: all.toSorted(
      (a, b) => a.recipe.localeCompare(b.recipe, 'en') || a.study.localeCompare(b.study, 'en'),
    ),
  };
}
