import { memo, useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { Excerpt, MatchingRollout } from '../../../evaluate/rollouts/reading/full-text.ts';
import { revealHidden } from '../../../evaluate/rollouts/reading/visible.ts';
import type { SearchMatch } from '../../../lab/contract/rollouts.ts';
import { evaluationFileId, runFileId } from '../../../lab/rollouts/own-runs.ts';
import { useMore } from '../../kit/page/use-more.tsx';
import { formatCount, plural } from '../../kit/words/format.ts';
import { openOwn, openOwnRollout, type Own } from '../store/browse-actions.ts';
import {
  filePath,
  formatBrowseAddress,
  havingText,
  parseBrowseAddress,
  readerPath,
} from '../store/browse-address.ts';
import { useRollouts } from '../store/rollouts-store.ts';
import { rememberOpened } from './search-actions.ts';

/** Search results, grouped by file and run. */

/** Rollouts and groups rendered at once. */
const HITS = 10;
const PLACES = 20;

const Marked = ({ text }: { text: Excerpt }) => (
  <>
    {revealHidden(text.before)}
    {text.match === '' ? null : <mark>{revealHidden(text.match)}</mark>}
    {revealHidden(text.after)}
  </>
);

/** The link of a result: the text at the match, or the rounds if only question or answer match. */
const placeOf = (fileId: string, { id, segment }: MatchingRollout, words: string): string => {
  const query = new URLSearchParams(
    segment ? { find: words, view: 'text', event: String(segment.at + 1) } : {},
  ).toString();
  return readerPath(fileId, id, query === '' ? '' : `?${query}`);
};

/** Null for a file; otherwise the run or evaluation to import first. */
const ownOf = ({ kind, id, name }: SearchMatch): Own | null =>
  kind === 'file' ? null : { kind, id, name };

const FILE_OF = { file: (id: string) => id, run: runFileId, evaluation: evaluationFileId } as const;

const pathOf = (place: SearchMatch, hit: MatchingRollout, words: string): string =>
  placeOf(FILE_OF[place.kind](place.id), hit, words);

/** The user has just returned. */
const isIdle = (): boolean => document.activeElement?.closest('input, a, button') == null;

/** On return the last opened rollout gets the focus. */
const useReturn = (path: string) => {
  const link = useRef<HTMLElement>(null);
  useEffect(() => {
    if (useRollouts.getState().search.opened !== path || !isIdle()) return;
    rememberOpened('');
    link.current?.focus();
  }, [path]);
  return (element: HTMLElement | null) => void (link.current = element);
};

/** A rollout: question, answer, and matches in context. */
const Hit = ({
  hit,
  place,
  words,
}: {
  hit: MatchingRollout;
  place: SearchMatch;
  words: string;
}) => {
  const [, go] = useLocation();
  const { question, answer, outside, segment, step, count } = hit;
  const said = answer ?? outside;
  const path = pathOf(place, hit, words);
  const own = ownOf(place);
  const ref = useReturn(path);
  const open = (): void => {
    rememberOpened(path);
    if (own) openOwnRollout(own, path, go);
  };
  const shown = (
    <>
      <span className="hit-question">
        <Marked text={question} />
      </span>
      <span className="fine hit-facts">
        {step === null ? '' : `step ${formatCount(step)} · `}
        {plural(count, 'place')}
      </span>
      {/* A prompt repeats the question. */}
      {segment && (segment.source !== 'prompt' || question.match === '') ? (
        <span className="hit-text">
          <span className="fine">{segment.role}</span> <Marked text={segment.text} />
        </span>
      ) : null}
      <span className="hit-text">
        <span className="fine">{outside ? 'answer outside the tags' : 'answer'}</span>{' '}
        {said ? <Marked text={said} /> : <span className="fine">none</span>}
      </span>
    </>
  );
  return (
    <li>
      {own === null ? (
        <Link href={path} className="search-hit" ref={ref} onClick={open}>
          {shown}
        </Link>
      ) : (
        <button
          type="button"
          className="search-hit"
          title={`Its ${own.kind} must be loaded first`}
          ref={ref}
          onClick={open}
        >
          {shown}
        </button>
      )}
    </li>
  );
};

/** Opens all matches of a file as its table; runs and evaluations are imported first. */
const PlaceName = ({ place, words }: { place: SearchMatch; words: string }) => {
  const [, go] = useLocation();
  const table = { ...parseBrowseAddress(''), filter: havingText(words) };
  const address = formatBrowseAddress(table);
  const own = ownOf(place);
  return own === null ? (
    <Link href={filePath(place.id, address)}>{place.name}</Link>
  ) : (
    <button
      type="button"
      className="link"
      onClick={() => openOwn(own, (path) => go(`${path}${address}`))}
    >
      {own.kind} {place.name}
    </button>
  );
};

/** Enough rows to include the last opened rollout. */
const shownAtFirst = (place: SearchMatch, words: string): number => {
  const { opened } = useRollouts.getState().search;
  const at = place.hits.findIndex((hit) => pathOf(place, hit, words) === opened);
  return Math.max(1, Math.ceil((at + 1) / HITS)) * HITS;
};

const Place = memo(({ place, words }: { place: SearchMatch; words: string }) => {
  const [page] = useState(() => shownAtFirst(place, words));
  const { rows, more } = useMore(place.hits, page);
  return (
    <section className="search-place" aria-label={place.name}>
      <h2>
        <PlaceName place={place} words={words} />{' '}
        <span className="fine">
          {formatCount(place.count)} of {plural(place.rollouts, 'rollout')}
        </span>
      </h2>
      {place.problem === null ? null : (
        <p className="tone-bad">⚠ The rest could not be read: {place.problem}.</p>
      )}
      <ol>
        {rows.map((hit, at) => (
          <Hit key={at} hit={hit} place={place} words={words} />
        ))}
      </ol>
      {more}
      {more === null && place.count > place.hits.length ? (
        <p className="fine">
          The first {formatCount(place.hits.length)}; all are in{' '}
          <PlaceName place={place} words={words} />.
        </p>
      ) : null}
    </section>
  );
});

/**
 * The results of a search over all rollouts, a section for each file, run or evaluation.
 * @param props.words what was searched for; marked in the results
 */
export const FoundPlaces = ({ found, words }: { found: readonly SearchMatch[]; words: string }) => {
  const { rows, more } = useMore(found, PLACES);
  return (
    <>
      {rows.map((place) => (
        <Place key={`${place.kind} ${place.id}`} place={place} words={words} />
      ))}
      {more}
    </>
  );
};
