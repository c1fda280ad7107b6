import { outputOf } from '../../../agent/released/output.ts';
import type { SpokenOutput } from '../../../agent/released/validity.ts';
import { dialectOf } from '../../../agent/transcript/dialects/list.ts';
import { spokenDialect } from '../../../agent/transcript/dialects/names.ts';
import type { ImportedRollout } from '../../../formats/rollouts/shape/imported.ts';
import type { DialectId } from '../../../recipes/methods/dialect.ts';

/** Published formats in which the outputs of an imported file can be read. */

/** By the protocol whose tags stand in a file; some systems share theirs. */
const SPOKEN: Readonly<Record<string, readonly DialectId[]>> = {
  'search-r1': ['search-r1'],
  autorefine: ['auto-refine'],
  'r-search': ['r-search'],
  're-seek': ['re-seek'],
  'in-forage': ['in-forage'],
  s3: ['s3'],
  arena: ['arena'],
  'tool-star': ['tool-star'],
  research: ['research', 'tool-star'],
  'r1-searcher': ['r1-searcher', 'ur2'],
  ur2: ['ur2', 'r1-searcher'],
  'tool-call': ['deep-researcher'],
};

/** All of them that answer in a block of their own: an output without a search tells none from another. */
const ANSWERING: readonly DialectId[] = [
  'search-r1',
  'auto-refine',
  'r-search',
  'arena',
  'tool-star',
  'research',
  'r1-searcher',
  'deep-researcher',
];

/** Formats that the tags do not tell apart, and whether they tell one at all. */
function spokenIn(rollout: ImportedRollout): { dialects: readonly DialectId[]; told: boolean } {
  const { origin, segments, answer } = rollout;
  if (!origin) {
    const dialect = spokenDialect(rollout);
    return { dialects: dialect === null ? [] : [dialect], told: dialect !== null };
  }
  const known = origin.protocol === null ? undefined : SPOKEN[origin.protocol];
  const own = segments.filter(({ source }) => source === 'policy').map(({ text }) => text);
  const holds = (text: string): boolean => own.some((one) => one.includes(text));
  if (origin.protocol === 'tool-call' && !holds('answer>')) return { dialects: [], told: false };
  if (known) return { dialects: known, told: true };
  if (origin.protocol === 'forage') return { dialects: [], told: false };
  if (origin.protocol === 'think-answer') return { dialects: ANSWERING, told: false };
  // Nothing is lost where no answer was read; else only a box says whose it may be.
  if (answer === null) return { dialects: [...ANSWERING, 'ur2'], told: false };
  return { dialects: holds(String.raw`\boxed`) ? ['ur2'] : [], told: false };
}

/** The output of an imported rollout; `told`: its tags say which format it is in. Null: none of them. */
export function importedOutput(
  rollout: ImportedRollout,
): { output: SpokenOutput; told: boolean } | null {
  const { dialects, told } = spokenIn(rollout);
  const [dialect] = dialects;
  if (dialect === undefined) return null;
  const { origin, segments } = rollout;
  const first = segments.findIndex(({ source }) => source === 'policy');
  const at = origin?.responseAt ?? (first < 0 ? segments.length : first);
  return { output: { ...outputOf(segments.slice(at), dialectOf(dialect)), dialects }, told };
}
