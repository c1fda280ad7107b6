import type { AgentEvent, BackgroundEvent, RetrieveEvent } from '../../../records/events.ts';
import type { Question } from '../../../records/records.ts';
import type { Rollout } from '../../../records/rollout.ts';
import { formatBytes, formatMs, formatNumber, formatShare, plural } from '../words/format.ts';
import { Passages } from './Passages.tsx';
import { RouteBody, type CallFacts } from './RouteBody.tsx';
import { CandidatesBody, VerdictBody } from './StieBody.tsx';
import { stopReason } from './summary.ts';
import { SummaryBody } from './SummaryBody.tsx';
import { unreachable } from '../unreachable.ts';

/**
 * An event within its rollout. `gold` marks answers and supporting titles where the world knows the
 * question; `firstSeen` says which event first brought a passage.
 */
export interface EventBodyProps {
  rollout: Rollout;
  index: number;
  event: AgentEvent;
  gold: Question | null;
  firstSeen: ReadonlyMap<string, { event: number; round: number }>;
  onEvent: (event: number) => void;
  onPassage: (event: number, hit: number) => void;
}

/** Where a thought stands in the paper’s protocol. */
const PHASES = {
  alignment: 'RDRA: t = T(x, D0), equation (2)',
  step: 'between searches',
} as const;

/** How well the background fits the question, by what could be measured of it. */
const Relevance = ({ event }: { event: BackgroundEvent }) => {
  const { meanSimilarity, termOverlap, supportingRecall } = event.relevance;
  return (
    <p className="fine">
      D0, mode {event.mode}. Mean similarity to the question{' '}
      {meanSimilarity === null
        ? 'not available (lexical search gives none)'
        : formatNumber(meanSimilarity)}
      , shared terms {formatShare(termOverlap)},{' '}
      {supportingRecall === null
        ? 'supporting titles unknown'
        : `${formatShare(supportingRecall)} of the supporting titles`}
      .
    </p>
  );
};

/**
 * A search as it was done: source, time, traffic, and what it brought that was not there before.
 */
const CallLine = ({ event }: { event: RetrieveEvent }) => (
  <p className="fine">
    “{event.query}” asked of {event.source}: {formatMs(event.latencyMs)}
    {event.addedDelayMs > 0 ? ` (${formatMs(event.addedDelayMs)} of it added)` : ''}
    {event.requests === undefined ? '' : ` · ${plural(event.requests, 'request')}`}
    {event.bytes === undefined ? '' : ` · ${formatBytes(event.bytes)}`} ·{' '}
    {event.newSupporting === null
      ? 'supporting titles unknown'
      : plural(event.newSupporting.length, 'new supporting title')}{' '}
    · {plural(event.duplicates.length, 'passage')} seen before ·{' '}
    {plural(event.newEntities, 'new entity', 'new entities')}
  </p>
);

/** Passages that an event before `index` had returned already. */
const before = (props: EventBodyProps) =>
  new Map([...props.firstSeen].filter(([, seen]) => seen.event < props.index));

/**
 * What a search returned. An empty result is an event too: the policy read that nothing was found.
 */
const Hits = (props: EventBodyProps & { hits: RetrieveEvent['hits'] }) =>
  props.hits.length === 0 ? (
    <p>Nothing was found. The policy was told so.</p>
  ) : (
    <Passages
      hits={props.hits}
      gold={props.gold}
      answer={props.rollout.answer}
      seenBefore={before(props)}
      onEvent={props.onEvent}
      onPassage={(hit) => props.onPassage(props.index, hit)}
    />
  );

/** N of equation (12) as the rollout's recipe had it. */
const blockLimit = (rollout: Rollout): number => {
  const { stie } = rollout.recipe.settings;
  const known = typeof stie === 'object' && stie !== null && 'maxCount' in stie;
  return known && typeof stie.maxCount === 'number' ? stie.maxCount : 4;
};

/** The retrieval that a routing decision led to. */
const callAfter = (rollout: Rollout, index: number): CallFacts | null => {
  for (const event of rollout.events.slice(index + 1)) {
    if (event.kind === 'retrieve') return event;
    if (event.kind === 'search' || event.kind === 'route') return null;
  }
  return null;
};

/** The opened part of a card. */
export const EventBody = (props: EventBodyProps) => {
  const { event } = props;
  switch (event.kind) {
    case 'background':
      return (
        <div className="body">
          <Relevance event={event} />
          <Hits {...props} hits={event.hits} />
        </div>
      );
    case 'retrieve':
      return (
        <div className="body">
          <CallLine event={event} />
          <Hits {...props} hits={event.hits} />
        </div>
      );
    case 'think':
      return (
        <div className="body">
          <p className="prose">{event.text.trim() || 'The policy wrote nothing here.'}</p>
          <p className="fine">{PHASES[event.phase]}</p>
        </div>
      );
    case 'search':
      return (
        <div className="body">
          <p className="prose">{event.query}</p>
          <p className="fine">
            Search {event.round}, written in a {event.tag} tag.
          </p>
        </div>
      );
    case 'route':
      return <RouteBody event={event} call={callAfter(props.rollout, props.index)} />;
    case 'summarize':
      return <SummaryBody rollout={props.rollout} index={props.index} event={event} />;
    case 'candidate':
      return <CandidatesBody event={event} />;
    case 'verdict':
      return <VerdictBody event={event} limit={blockLimit(props.rollout)} />;
    case 'answer':
      return (
        <div className="body">
          <p className="prose">
            <b>{event.text || '(empty)'}</b>
          </p>
          <p className="fine">
            {event.form} answer,{' '}
            {event.by === 'policy'
              ? 'written by the policy'
              : event.by === 'stie'
                ? 'chosen by STIE among the probed candidates'
                : 'asked for at a limit'}
            .
          </p>
        </div>
      );
    case 'stop':
      return (
        <div className="body">
          <p>Stopped because {stopReason(event)}.</p>
          {event.detail ? <p className="fine">{event.detail}</p> : null}
        </div>
      );
    case 'error':
      return (
        <div className="body">
          <p>{event.message}</p>
          <p className="fine">
            {event.what === 'malformed'
              ? 'The policy broke the protocol; the loop took note and went on as its rules say.'
              : `A fault of the ${event.what}.`}
          </p>
        </div>
      );
  }
  return unreachable(event);
};
