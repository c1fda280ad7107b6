import { z } from 'zod';
import type { Rollout, Segment } from '../../records/rollout.ts';
import { issueOf } from '../../base/errors.ts';
import { mean, sum } from '../../base/statistics.ts';

/** Trajectories to learn from by supervision, as a user gives them: `forage.rollout/1`, a line each. */

const segmentSchema = z.looseObject({
  source: z.enum(['prompt', 'policy', 'environment']),
  ids: z.array(z.int().min(0)),
  tokens: z.undefined('its ids are pieces of text, not tokens of a model').optional(),
  mask: z.union([z.literal(0), z.literal(1)]),
});
const rolloutSchema = z.looseObject({
  format: z.literal('forage.rollout/1'),
  segments: z.array(segmentSchema).min(1),
  metrics: z.looseObject({ em: z.number() }).nullable(),
});

function problemOf(line: string, vocabSize: number): string | null {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    return 'it is not JSON';
  }
  const parsed = rolloutSchema.safeParse(json);
  if (!parsed.success) return issueOf(parsed.error, 'it');
  const strange = parsed.data.segments.some(({ ids }) => ids.some((id) => id >= vocabSize));
  return strange ? 'it holds tokens that this policy does not have' : null;
}

/** How many there are, and the mean tokens of their contexts, all and those that the model writes. */
export function sizeOf(rollouts: readonly Rollout[]) {
  const tokensOf = ({ segments }: Rollout, which: (segment: Segment) => boolean): number =>
    sum(segments.filter(which).map(({ ids }) => ids.length));
  return {
    count: rollouts.length,
    tokens: mean(rollouts.map((one) => tokensOf(one, () => true))),
    written: mean(rollouts.map((one) => tokensOf(one, ({ source }) => source === 'policy'))),
  };
}

/**
 * Reads JSON lines of rollouts. Only what supervision needs is checked.
 * @param vocabSize of the policy that learns
 * @throws Error of one line with the number of the first line at fault, or where there is none
 */
export function readDemonstrations(text: string, vocabSize: number): Rollout[] {
  const lines = text.split('\n');
  const rollouts: Rollout[] = [];
  for (const [at, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const problem = problemOf(line, vocabSize);
    if (problem !== null) throw new Error(`trajectories: line ${at + 1}: ${problem}`);
    rollouts.push(JSON.parse(line) as Rollout);
  }
  if (rollouts.length === 0) throw new Error('trajectories: the file holds none');
  return rollouts;
}
