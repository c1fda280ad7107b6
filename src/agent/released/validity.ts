import type { Rollout } from '../../records/rollout.ts';
import { dialectOf } from '../transcript/dialects/list.ts';
import { spokenDialect } from '../transcript/dialects/names.ts';
import type { DialectId } from '../../recipes/parts/dialect.ts';
import { releaseOf } from './list.ts';
import { outputOf, type Output } from './output.ts';

const UNFINISHED = new Set(['malformed', 'end-of-text', 'cancelled', 'error']);

/** An output, and the published formats in which it can be read. */
export interface SpokenOutput extends Output {
  dialects: readonly DialectId[];
}

/** What a policy wrote in a published format, and what came between; null where it spoke the protocol's own. */
export function spokenOutput(rollout: Pick<Rollout, 'recipe' | 'segments'>): SpokenOutput | null {
  const dialect = spokenDialect(rollout);
  if (dialect === null) return null;
  const { segments } = rollout;
  const first = segments.findIndex(({ source }) => source === 'policy');
  const from = first < 0 ? segments.length : first;
  return { ...outputOf(segments, from, dialectOf(dialect)), dialects: [dialect] };
}

/**
 * Whether the released reward function of the output's format takes an answer out of it and finds no fault of format.
 * @returns null where no release judges this format
 */
export function releasedValid(output: SpokenOutput, golds: readonly string[]): boolean | null {
  const [dialect] = output.dialects;
  const release = dialect === undefined ? null : releaseOf(dialect);
  if (release === null) return null;
  return release.answer(output) !== null && release.faults(output, golds).length === 0;
}

type Recorded = Pick<Rollout, 'events' | 'answer' | 'segments' | 'recipe' | 'question'>;

/**
 * Whether the whole output follows the protocol, from the record only. In a published format as its released reward
 * function judges it (`releasedValid`). Else exactly:
 *
 * 1. no `malformed` event: every block that the policy opened it closed with the block's own tag; no
 *    tag stands inside a block; it wrote no tag of the environment's; only white space stands between
 *    its blocks; a thought stands before every search and every answer; no query is empty; the answer
 *    block holds exactly one `\boxed{…}`, closed, with text in it; no limit cut a block off;
 * 2. there is an answer;
 * 3. the rollout stopped by itself, by STIE or at a limit: not by `malformed`, `end-of-text`,
 *    `cancelled` or `error`.
 *
 * What the environment asked for (a forced answer after the last search) is not a violation by the policy.
 */
export function formatValid(rollout: Recorded): boolean {
  const output = spokenOutput(rollout);
  const released = output && releasedValid(output, rollout.question.answers);
  if (released !== null) return released;
  if (rollout.answer === null) return false;
  return rollout.events.every((event) => {
    if (event.kind === 'error') return event.what !== 'malformed';
    return event.kind !== 'stop' || !UNFINISHED.has(event.reason);
  });
}
