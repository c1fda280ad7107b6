import { z } from 'zod';
import { setupSchema } from '../../retrieval/setup.ts';
import type { ColdStartPoint, TrainStep } from '../../records/training.ts';
import { STORE_TYPES } from '../../policy/ops/values.ts';
import { parseTrainSettings } from '../../learn/settings/edit-settings.ts';
import type { RunRecord } from '../contract/records/runs.ts';
import { issueOf } from '../../base/errors.ts';
import { isObject } from '../../base/objects.ts';

/** Stored records are checked where they enter: another version of the page may have written them. */

const failureSchema = z.strictObject({
  kind: z.enum(['missing', 'lost', 'no-demonstrations', 'failed']),
  message: z.string(),
  detail: z.string(),
});

const count = z.int().min(0);
const splitSchema = z.strictObject({
  by: z.enum(['field', 'share', 'field+share']),
  seed: z.int(),
  train: count,
  dev: count,
  test: count,
  left: count,
});

const axisSchema = z.strictObject({
  path: z.string().min(1),
  values: z.array(z.union([z.string(), z.number(), z.boolean()])).min(2),
});
const sweepSchema = z.strictObject({
  id: z.string().regex(/^[\w-]{1,80}$/),
  name: z.string(),
  axes: z.array(axisSchema).min(1).max(2),
  place: z.tuple([count, count]),
});

const RUN_FORMAT = 'forage.run/6';

const runSchema = z.strictObject({
  format: z.literal(RUN_FORMAT),
  id: z.string().regex(/^[\w-]{1,80}$/),
  name: z.string(),
  tags: z.array(z.string()),
  notes: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  status: z.enum(['running', 'paused', 'stopped', 'finished', 'failed']),
  settings: z.unknown(),
  policy: z.strictObject({ id: z.string(), revision: z.string() }),
  setup: setupSchema.optional(),
  world: z.strictObject({
    seed: z.int(),
    questions: z.int(),
    split: splitSchema.optional(),
  }),
  device: z.enum(['wasm', 'webgpu']),
  keys: z.enum(STORE_TYPES).optional(),
  step: z.int().min(0),
  checkpointStep: z.int().min(0).nullable(),
  untrained: z.literal(true).optional(),
  failure: failureSchema.nullable(),
  importedStep: z.int().min(0).optional(),
  sweep: sweepSchema.optional(),
  notice: z.string().nullable().default(null),
  startedFrom: z
    .strictObject({ run: z.string(), step: z.int().min(0), name: z.string() })
    .optional(),
  before: z.array(z.string()).optional(),
  coldStart: z.array(z.custom<ColdStartPoint>(isObject)).optional(),
  deletedAt: z.string().nullable(),
});

const formatOf = (value: unknown): string =>
  z.object({ format: z.string() }).safeParse(value).data?.format ?? '';

/** Whether another version of Forage wrote this record of a run, so that it cannot be read here. */
export const isOfOtherVersion = (value: unknown): boolean => {
  const format = formatOf(value);
  return format.startsWith('forage.run/') && format !== RUN_FORMAT;
};

/** @throws Error of one line where it is no run */
export function parseRun(value: unknown): RunRecord {
  if (isOfOtherVersion(value))
    throw new Error(
      `the run was made by another version of Forage (${formatOf(value)}, here ${RUN_FORMAT}); train it again here`,
    );
  const parsed = runSchema.safeParse(value);
  if (!parsed.success) throw new Error(`run: ${issueOf(parsed.error)}`);
  return { ...parsed.data, settings: parseTrainSettings(parsed.data.settings) };
}

const number = z.number();
/** Null where the trainer that made a step does not say it, as `TrainStep` has it. */
const measure = number.nullable();
const scoreSchema = z.looseObject({ n: number, em: number, f1: number, searches: number });
const stepSchema = z.looseObject({
  format: z.literal('forage.step/1'),
  runId: z.string(),
  step: z.int().min(1),
  at: z.string(),
  reward: z.looseObject({ mean: measure, std: measure, clauses: z.record(z.string(), number) }),
  em: measure,
  f1: measure,
  seconds: z.looseObject({ total: measure }),
  heldOut: scoreSchema.nullable(),
});

/**
 * A step that we or another copy of the page wrote. What charts and exports rely on is checked, the
 * other numbers are taken as they are.
 * @throws Error of one line where it is not a step
 */
export function parseStep(value: unknown): TrainStep {
  const parsed = stepSchema.safeParse(value);
  if (!parsed.success) throw new Error(`step: ${issueOf(parsed.error)}`);
  return value as TrainStep;
}
