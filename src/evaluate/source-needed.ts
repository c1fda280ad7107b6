import type { ChainStep, Question } from '../records/records.ts';

/** Where a question has to be searched; null where that is not known. */
export type SourceNeeded = 'local' | 'web' | 'both' | null;

const sourceOf = ({ source, passageId }: ChainStep): SourceNeeded => {
  if (source !== undefined) return source;
  // A step without a source names a passage, whose id begins with its corpus.
  if (passageId.startsWith('local-')) return 'local';
  return passageId.startsWith('web-') ? 'web' : null;
};

/** The source that one has to search: `both` where neither holds the whole chain; null where it is not known. */
export function sourceNeeded({
  chain = [],
  localSuffices,
}: Pick<Question, 'chain' | 'localSuffices'>): SourceNeeded {
  const sources = chain.map(sourceOf);
  if (localSuffices === true) return 'local';
  if (sources.length === 0 || sources.includes(null)) return null;
  if (sources.every((source) => source !== 'web')) return 'local';
  return sources.every((source) => source !== 'local') ? 'web' : 'both';
}
