import { z } from 'zod';
import { knownAs } from '../../../recipes/parts/nearest.ts';
import { RECIPES } from '../../../systems/index.ts';
import { SWITCHES } from '../../../recipes/switches/list.ts';
import { QUESTION_TYPES } from '../../../records/records.ts';
import { needsGroup, SIGNATURE_NUMBERS, TIMED, type SignatureNumber } from './numbers.ts';
import { WAVE } from '../measures/wave.ts';
import type { StudyFile } from './file.ts';

/** What a study says of a recipe's signature: a claim, and the difference that would show it. */

const number = z.enum(SIGNATURE_NUMBERS as [SignatureNumber, ...SignatureNumber[]]);
const arm = z.string().min(1);

/** Which questions a claim is about; all that is named must hold. */
const sliceSchema = z
  .strictObject({
    hops: z.array(z.int().min(0)).min(1),
    /** Forms of question. */
    types: z.array(z.enum(QUESTION_TYPES)).min(1),
    /** Where the supporting passages are. */
    source: z.enum(['local', 'web', 'both']),
    /** Whether training never asks their composition of relations. */
    heldOut: z.boolean(),
    /** Names of worlds. */
    worlds: z.array(z.string()).min(1),
    /** By what an arm made of the question, a mean over its seeds: at least `from`, at most `to`. */
    where: z.strictObject({ arm, number, from: z.number().optional(), to: z.number().optional() }),
  })
  .partial();

export const EXPECTATIONS = ['higher', 'lower', 'not-lower', 'not-higher', 'equal'] as const;

/**
 * A claim, and the difference that it is about: `number` of `arm` less that of `against`, of its own step 0
 * (`fromStart`) or a value (`than`). With `beyond`, the same difference between two other arms is taken off; with
 * `unlike`, the same on other questions.
 */
export const signatureSchema = z.strictObject({
  /** Id of a recipe, or of a switch of training. */
  recipe: z.string(),
  /** The part of the recipe's signature that it measures, in a sentence. */
  claim: z.string().trim().min(1),
  number,
  arm,
  against: arm.optional(),
  fromStart: z.literal(true).optional(),
  than: z.number().optional(),
  beyond: z.strictObject({ arm, against: arm }).optional(),
  slice: sliceSchema.optional(),
  unlike: sliceSchema.optional(),
  /**
   * Where the whole interval of the difference lies if the claim holds: above `margin`, below −`margin`, above
   * −`margin` (`not-lower`), below `margin` (`not-higher`), or between the two (`equal`).
   */
  expect: z.enum(EXPECTATIONS),
  /** In the number's own unit, shares between 0 and 1; 0 by default, and needed where the claim is of no change. */
  margin: z.number().min(0).default(0),
});

export type StudySignature = z.infer<typeof signatureSchema>;
export type Slice = z.infer<typeof sliceSchema>;

/** Claims that nothing changes, which no interval shows without a margin. */
export const OF_NO_CHANGE: readonly StudySignature['expect'][] = [
  'not-lower',
  'not-higher',
  'equal',
];

const needs = (problem: string, holds: boolean): string[] => (holds ? [] : [problem]);

const slicesOf = ({ slice, unlike }: StudySignature): Slice[] =>
  [slice, unlike].flatMap((one) => one ?? []);

const armsOf = (signature: StudySignature): string[] =>
  [
    signature.arm,
    signature.against,
    signature.beyond?.arm,
    signature.beyond?.against,
    ...slicesOf(signature).map(({ where }) => where?.arm),
  ].flatMap((name) => name ?? []);

const numbersOf = (signature: StudySignature): SignatureNumber[] => [
  signature.number,
  ...slicesOf(signature).flatMap(({ where }) => where?.number ?? []),
];

/** Problems of the recipe or switch that a claim is of. */
export function ownerProblems(id: string): string[] {
  const known = [...RECIPES, ...SWITCHES].find((one) => one.id === id);
  if (!known) {
    const ids = [...RECIPES, ...SWITCHES].map((one) => one.id);
    return [`there is no recipe or switch "${id}"; ${knownAs(id, ids, '“lab recipes”')}`];
  }
  return known.about === undefined ? [`recipe "${id}" states no signature`] : [];
}

function faults(signature: StudySignature, { arms, evaluate }: StudyFile): string[] {
  const { recipe, against, fromStart, than, beyond, unlike, expect, margin } = signature;
  const sides = [against, fromStart, than].filter((side) => side !== undefined).length;
  const names = new Set(arms.map(({ name }) => name));
  const numbers = numbersOf(signature);
  return [
    ...ownerProblems(recipe),
    ...armsOf(signature)
      .filter((name) => !names.has(name))
      .map((name) => `there is no arm "${name}"`),
    ...needs('names more than one of against, fromStart and than', sides <= 1),
    ...needs('needs against, fromStart, than or unlike', sides > 0 || unlike !== undefined),
    ...needs('is compared with itself', against !== signature.arm),
    ...needs('beyond needs against', beyond === undefined || against !== undefined),
    ...needs(
      `fromStart needs an arm that is trained`,
      !fromStart || arms.some(({ name, untrained }) => name === signature.arm && !untrained),
    ),
    ...needs(`${expect} needs a margin`, !OF_NO_CHANGE.includes(expect) || margin > 0),
    ...numbers
      .filter((one) => evaluate.timed === 0 && TIMED.some((id) => id === one))
      .map((one) => `${one} needs evaluate.timed, questions asked one at a time`),
    ...numbers
      .filter((one) => evaluate.group === undefined && needsGroup(one))
      .map((one) => `${one} needs evaluate.group, rollouts of each question`),
    ...(numbers.includes(WAVE.id)
      ? armsOf(signature)
          .filter((name) => arms.some((one) => one.name === name && one.pace === undefined))
          .map((name) => `${WAVE.id} needs a pace, which arm "${name}" has not`)
      : []),
    ...needs(
      'reward needs evaluate.reward, which all arms are scored by',
      !numbers.includes('reward') || evaluate.reward !== undefined,
    ),
  ];
}

/** Problems of the claims of a study, a line each. */
export const signatureProblems = (study: StudyFile, worlds: readonly string[]): string[] =>
  study.signatures.flatMap((signature, i) => [
    ...faults(signature, study).map((said) => `signatures.${i}: ${said}`),
    ...slicesOf(signature)
      .flatMap((slice) => slice.worlds ?? [])
      .filter((name) => !worlds.includes(name))
      .map((name) => `signatures.${i}: there is no world "${name}" in evaluate`),
    ...(study.signatures.findIndex(
      ({ recipe, claim }) => recipe === signature.recipe && claim === signature.claim,
    ) < i
      ? [`signatures.${i}: "${signature.claim}" of ${signature.recipe} is there twice`]
      : []),
  ]);
