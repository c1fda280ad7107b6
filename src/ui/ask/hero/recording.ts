import { z } from 'zod';

/**
 * A recorded training run and eight rollouts of one question before and after it, `forage.hero/1`: what Ask shows
 * before the first run. `scripts/record-hero.ts` makes the file.
 */

const stepSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('think'), text: z.string() }),
  z.object({ kind: z.literal('search'), source: z.enum(['local', 'web']), query: z.string() }),
  /** Titles of the passages that came, and how many of them state a part of the answer. */
  z.object({
    kind: z.literal('read'),
    source: z.enum(['local', 'web']),
    titles: z.array(z.string()),
    supporting: z.int().min(0),
  }),
  z.object({ kind: z.literal('answer'), text: z.string(), right: z.boolean() }),
]);

const rolloutsSchema = z.array(z.array(stepSchema).min(1)).length(8);

export const recordingSchema = z.object({
  format: z.literal('forage.hero/1'),
  /** Day of the recording, ISO 8601. */
  day: z.iso.date(),
  /** Name and number of parameters of the model. */
  model: z.object({ id: z.string(), parameters: z.int() }),
  question: z.object({ id: z.string(), text: z.string(), gold: z.string() }),
  run: z.object({
    preset: z.string(),
    cores: z.int(),
    questionsPerStep: z.int(),
    groupSize: z.int(),
    heldOut: z.int(),
    /** Share of the held-out questions answered right after each step; `seconds`: CPU time so far per core. */
    points: z.array(z.object({ step: z.int(), seconds: z.number(), em: z.number() })).min(2),
  }),
  before: rolloutsSchema,
  after: rolloutsSchema,
});

export type Recording = z.infer<typeof recordingSchema>;
export type RecordedStep = z.infer<typeof stepSchema>;
export type RecordedRollout = readonly RecordedStep[];
