import { z } from 'zod';
import { issueOf, oneLine } from '../../base/errors.ts';
import {
  isTrained,
  TRAJECTORIES,
  type StoredPair,
  type StoredTrajectory,
  type TrajectorySet,
} from './shape.ts';

const name = z.string().min(1).max(400);

const segmentSchema = z
  .strictObject({
    by: z.enum(['prompt', 'policy', 'environment']),
    ids: z.array(z.int().min(0).max(0x7fffffff)).optional(),
    text: z.string().optional(),
    trained: z.boolean().optional(),
  })
  .refine(({ ids, text }) => ids !== undefined || text !== undefined, {
    message: 'it has neither ids nor a text',
  });

const format = z.literal(TRAJECTORIES);

const lineSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    format,
    kind: z.literal('trajectory'),
    id: name,
    group: name,
    weight: z.number().min(0).max(1e9).default(1),
    segments: z.array(segmentSchema).min(1),
  }),
  z.strictObject({ format, kind: z.literal('pair'), chosen: name, rejected: name }),
]);

type Line = z.infer<typeof lineSchema>;

function parseLine(line: string): Line | string {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    return 'it is not JSON';
  }
  const given = typeof json === 'object' && json !== null && 'format' in json ? json.format : null;
  if (given !== TRAJECTORIES)
    return `its "format" is not "${TRAJECTORIES}"; lab trajectories writes such lines from rollouts`;
  const parsed = lineSchema.safeParse(json);
  return parsed.success ? parsed.data : issueOf(parsed.error, 'it');
}

const shown = (id: string): string => `"${oneLine(id, 80)}"`;

/** What is wrong with a pair; null where nothing is. */
function pairFault(
  { chosen, rejected }: StoredPair,
  groups: ReadonlyMap<string, string>,
): string | null {
  for (const id of [chosen, rejected])
    if (!groups.has(id)) return `there is no trajectory ${shown(id)}`;
  if (chosen === rejected) return `${shown(chosen)} is paired with itself`;
  return groups.get(chosen) === groups.get(rejected)
    ? null
    : `${shown(chosen)} and ${shown(rejected)} are of different groups`;
}

/**
 * Reads a set; a pair may stand before its trajectories.
 * @throws Error of one line with the number of the first line at fault, or where there is nothing to learn from
 */
export function readTrajectories(text: string): TrajectorySet {
  const fault = (line: number, what: string): Error =>
    new Error(`trajectories: line ${line}: ${what}`);
  const trajectories: StoredTrajectory[] = [];
  const groups = new Map<string, string>();
  const pairs: (StoredPair & { line: number })[] = [];
  for (const [at, raw] of text.split('\n').entries()) {
    if (raw.trim() === '') continue;
    const line = parseLine(raw);
    if (typeof line === 'string') throw fault(at + 1, line);
    const { format: _, ...rest } = line;
    if (rest.kind === 'pair') {
      pairs.push({ chosen: rest.chosen, rejected: rest.rejected, line: at + 1 });
      continue;
    }
    const { kind: _k, ...trajectory } = rest;
    if (groups.has(trajectory.id))
      throw fault(at + 1, `the trajectory ${shown(trajectory.id)} occurs twice`);
    if (!trajectory.segments.some(isTrained))
      throw fault(at + 1, 'it has no trained segment: the model wrote none of its segments');
    groups.set(trajectory.id, trajectory.group);
    trajectories.push(trajectory);
  }
  for (const pair of pairs) {
    const found = pairFault(pair, groups);
    if (found !== null) throw fault(pair.line, found);
  }
  if (trajectories.length === 0) throw new Error('trajectories: the file holds none');
  return {
    trajectories,
    pairs: pairs.map(({ chosen, rejected }) => ({ chosen, rejected })),
  };
}
