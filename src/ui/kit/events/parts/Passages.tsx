import { memo } from 'react';
import type { Hit } from '../../../../records/hits.ts';
import type { Question } from '../../../../records/records.ts';
import { Icon } from '../../Icon.tsx';
import { formatNumber } from '../../words/format.ts';
import { isSupporting, markSentences, type MarkedSentence } from './support.ts';

/** Text with the names marked. Retrieved text is always a React text node. */
const Marked = ({ sentence }: { sentence: MarkedSentence }) => {
  const pieces = [];
  let at = 0;
  for (const [start, end] of sentence.spans) {
    pieces.push(sentence.text.slice(at, start));
    pieces.push(<mark key={start}>{sentence.text.slice(start, end)}</mark>);
    at = end;
  }
  pieces.push(sentence.text.slice(at));
  return (
    <span className={sentence.supports ? 'sentence supports' : 'sentence'}>
      {sentence.supports ? <span className="visually-hidden">supporting sentence: </span> : null}
      {pieces}{' '}
    </span>
  );
};

/** A passage’s text with the marks of `markSentences`. */
export const PassageText = (props: { hit: Hit; gold: Question | null; answer: string | null }) => (
  <p className="passage-text">
    {markSentences(props.hit.passage, props.gold, props.answer).map((sentence, index) => (
      <Marked key={index} sentence={sentence} />
    ))}
  </p>
);

/** The source of a passage, as icon and word. */
export const SourceBadge = ({ source }: { source: Hit['source'] }) => (
  <span className={`badge of-${source}`}>
    <Icon name={source} size={12} /> {source}
  </span>
);

/** Records may come from files, so links are validated. */
const PageLink = ({ url }: { url: string | undefined }) =>
  url !== undefined && /^https?:\/\//u.test(url) ? (
    <a className="fine" href={url} target="_blank" rel="noopener noreferrer">
      open page
    </a>
  ) : null;

/** The rank in each list, as far as recorded. */
const ranks = (hit: Hit): string =>
  [
    hit.lexicalRank === undefined ? null : `lexical #${hit.lexicalRank}`,
    hit.denseRank === undefined ? null : `dense #${hit.denseRank}`,
    hit.similarity === undefined ? null : `cos ${formatNumber(hit.similarity)}`,
  ]
    .filter((part) => part !== null)
    .join(' · ');

/** `gold` is null for a question without gold; then the rollout’s own `answer` is marked. */
export interface PassagesProps {
  hits: readonly Hit[];
  gold: Question | null;
  answer: string | null;
  /** For every earlier passage: the event that first returned it, and its round. */
  seenBefore: ReadonlyMap<string, { event: number; search: number }>;
  onEvent: (event: number) => void;
  onPassage: (hit: number) => void;
}

/** The passages of one retrieval, best first. */
export const Passages = memo((props: PassagesProps) => (
  <ol className="passages">
    {props.hits.map((hit, index) => {
      const seen = props.seenBefore.get(hit.passage.id);
      return (
        <li key={`${hit.passage.id}-${index}`}>
          <div className="passage-head">
            <button type="button" className="link strong" onClick={() => props.onPassage(index)}>
              {hit.passage.title}
            </button>
            <SourceBadge source={hit.source} />
            <PageLink url={hit.passage.url} />
            {isSupporting(hit.passage, props.gold) ? (
              <span className="badge good">✓ gold title</span>
            ) : null}
            {hit.passage.noise ? <span className="badge bad">⚠ {hit.passage.noise}</span> : null}
            {seen ? (
              <button type="button" className="link" onClick={() => props.onEvent(seen.event)}>
                seen in {seen.search === 0 ? 'the background' : `search ${seen.search}`}
              </button>
            ) : null}
            <span className="figure" title={ranks(hit)}>
              <span className="fine">score</span> {formatNumber(hit.score)}
            </span>
          </div>
          <PassageText hit={hit} gold={props.gold} answer={props.answer} />
          <div className="fine">{ranks(hit)}</div>
        </li>
      );
    })}
  </ol>
));
