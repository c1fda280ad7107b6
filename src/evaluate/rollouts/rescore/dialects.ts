import { outputOf, type SpokenOutput } from '../../../agent/released.ts';
import { spokenDialect } from '../../../agent/transcript/tag-names.ts';
import type { ImportedRollout, ImportedSegment } from '../../../formats/rollouts/shape/imported.ts';
import { dialectOf } from '../../../recipes/parts/dialect.ts';

/** Published formats in which the outputs of an imported file can be read. */

/** By the protocol whose tags are in a file; some systems share theirs. */
const SPOKEN: Readonly<Record<string, readonly string[]>> = {
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
const ANSWERING: readonly string[] = [
  'search-r1',
  'auto-refine',
  'r-search',
  'arena',
  'tool-star',
  'research',
  'r1-searcher',
  'deep-researcher',
];

/** Formats whose results an output holds. */
const shownIn = (pieces: readonly ImportedSegment[]): string[] =>
  [...ANSWERING, 'ur2'].filter((id) => {
    const open = dialectOf(id).result[0].trim();
    return pieces.some(({ text }) => text.includes(open));
  });

/** Formats that the tags do not distinguish, and whether they tell one at all. */
function dialectsIn(
  rollout: ImportedRollout,
  pieces: readonly ImportedSegment[],
): { dialects: readonly string[]; told: boolean } {
  const { origin, answer } = rollout;
  if (!origin) {
    const dialect = spokenDialect(rollout);
    return { dialects: dialect === null ? [] : [dialect], told: dialect !== null };
  }
  const { protocol } = origin;
  if (protocol === 'forage') return { dialects: [], told: false };
  const known = protocol === null ? undefined : SPOKEN[protocol];
  const shown = shownIn(pieces);
  const holds = (wanted: string): boolean => pieces.some(({ text }) => text.includes(wanted));
  // Tool calls are in many formats; DeepResearcher's answer is in a block.
  if (protocol === 'tool-call' && !holds('<answer>')) return { dialects: shown, told: false };
  if (known) return { dialects: [...new Set([...known, ...shown])], told: true };
  // Nothing is lost where no answer was read; else only a block or a box says whose it may be.
  const alike =
    protocol === 'think-answer' || answer === null
      ? [...ANSWERING, ...(protocol === 'think-answer' ? [] : ['ur2'])]
      : holds(String.raw`\boxed`)
        ? ['ur2']
        : [];
  return { dialects: [...new Set([...shown, ...alike])], told: false };
}

/** The output of an imported rollout; `told`: its tags say which format it is in. Null: none of them. */
export function importedOutput(
  rollout: ImportedRollout,
): { output: SpokenOutput; told: boolean } | null {
  const { origin, segments } = rollout;
  const first = segments.findIndex(({ source }) => source === 'policy');
  const from = origin?.responseAt ?? (first < 0 ? segments.length : first);
  const { dialects, told } = dialectsIn(rollout, segments.slice(from));
  const [dialect] = dialects;
  if (dialect === undefined) return null;
  return { output: { ...outputOf(segments, from, dialectOf(dialect)), dialects }, told };
}
