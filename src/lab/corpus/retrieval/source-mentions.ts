import { unknownNames } from '../../../agent/answers/look-up-names.ts';
import type { SourceName } from '../../../records/hits.ts';
import type { Passage } from '../../../records/records.ts';
import type { WebSpec } from '../../../records/setup.ts';
import { mentionsIn, type Mentions } from '../../../retrieval/lexical/mentions.ts';
import type { WorldRetriever } from '../../../retrieval/open.ts';

/** What the two sources of a retriever mention; null for a search engine, which does not tell. */
export type SourceMentions = Readonly<Record<SourceName, Mentions | null>>;

export const mentionsOf = (
  passages: readonly Passage[],
  web: WebSpec,
  world: WorldRetriever,
): SourceMentions => ({
  local: mentionsIn(passages),
  web: web.kind === 'built-in' ? world.web.mentions : null,
});

/** Names of the question that no passage of these sources mentions. */
export const unmentionedNames = (
  mentions: SourceMentions,
  question: string,
  sources: readonly SourceName[],
  signal: AbortSignal,
): Promise<string[]> =>
  unknownNames(
    question,
    sources.map((source) => mentions[source]),
    signal,
  );
