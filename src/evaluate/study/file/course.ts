import { z } from 'zod';
import { COURSE_NUMBER_IDS, type CourseNumberId } from '../course-numbers.ts';
import { EXPECTATIONS, OF_NO_CHANGE, ownerProblems } from './signatures.ts';
import type { StudyFile } from './file.ts';

/** What a study says of the course of trainings: a claim of a recipe, and the difference over steps that would show it. */

const arm = z.string().min(1);
const stepsSchema = z.strictObject({ from: z.int().min(1), to: z.int().min(1) });

/**
 * A claim, and the difference that it is about: a number of the steps of `arm` less that of the same steps of `against`, or
 * a value (`than`), the mean over `steps`, or over all; with `unlike`, less the same over other steps.
 */
export const courseClaimSchema = z.strictObject({
  /** Id of a recipe, or of a switch of training. */
  recipe: z.string(),
  /** The part of the recipe's signature that it measures, in a sentence. */
  claim: z.string().trim().min(1),
  number: z.enum(COURSE_NUMBER_IDS as [CourseNumberId, ...CourseNumberId[]]),
  arm,
  against: arm.optional(),
  than: z.number().optional(),
  /** From which step to which, both counted. */
  steps: stepsSchema.optional(),
  unlike: stepsSchema.optional(),
  /** As of the claims of `signatures`. */
  expect: z.enum(EXPECTATIONS),
  margin: z.number().min(0).default(0),
});

export type CourseClaim = z.infer<typeof courseClaimSchema>;

const needs = (problem: string, holds: boolean): string[] => (holds ? [] : [problem]);

function faults(claim: CourseClaim, { arms }: StudyFile): string[] {
  const { recipe, against, than, steps, unlike, expect, margin } = claim;
  const trained = new Set(arms.filter(({ untrained }) => !untrained).map(({ name }) => name));
  const parts = [steps, unlike].flatMap((part) => part ?? []);
  return [
    ...ownerProblems(recipe),
    ...[claim.arm, against]
      .flatMap((name) => name ?? [])
      .filter((name) => !trained.has(name))
      .map((name) => `there is no trained arm "${name}"`),
    ...needs('names both of against and than', against === undefined || than === undefined),
    ...needs(
      'needs against, than or unlike',
      against !== undefined || than !== undefined || unlike !== undefined,
    ),
    ...needs('is compared with itself', against !== claim.arm),
    ...parts
      .filter(({ from, to }) => to < from)
      .map(({ from, to }) => `steps ${from} to ${to} are none`),
    ...needs(
      'steps and unlike share steps',
      !unlike || (steps !== undefined && (steps.to < unlike.from || unlike.to < steps.from)),
    ),
    ...needs(`${expect} needs a margin`, !OF_NO_CHANGE.includes(expect) || margin > 0),
  ];
}

/** Problems of the claims about courses, a line each. */
export const courseProblems = (study: StudyFile): string[] =>
  study.course.flatMap((claim, i) => [
    ...faults(claim, study).map((said) => `course.${i}: ${said}`),
    ...([...study.signatures, ...study.course.slice(0, i)].some(
      (one) => one.recipe === claim.recipe && one.claim === claim.claim,
    )
      ? [`course.${i}: "${claim.claim}" of ${claim.recipe} is there twice`]
      : []),
  ]);
