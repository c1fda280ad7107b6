import { useMemo } from 'react';
import type { Question } from '../../records/records.ts';
import type { Rollout, Segment } from '../../records/rollout.ts';
import { eventRounds } from '../../records/rounds.ts';
import { EventActions } from '../kit/events/parts/actions.ts';
import { EventBody } from '../kit/events/EventBody.tsx';
import { glyphOf } from '../kit/events/cards.ts';
import { PassageText, SourceBadge } from '../kit/events/parts/Passages.tsx';
import { Sign } from '../kit/events/Sign.tsx';
import { firstSeen } from '../kit/events/parts/support.ts';
import { MechanismTag } from '../kit/rounds/MechanismTag.tsx';
import { mechanismOf, roundName } from '../kit/rounds/round-words.ts';
import { CopyButton } from '../kit/CopyButton.tsx';
import { formatMs, formatNumber } from '../kit/words/format.ts';
import { isRevealed } from './store/replay.ts';
import { useAsk, type Selection } from './store/ask-store.ts';
import { SegmentTokens, TokenDetails } from './TokenDetails.tsx';
import { unreachable } from '../kit/unreachable.ts';

/** Opens another event from within the details, as a click on its card does. */
const selectEvent = (rollout: Rollout, event: number) =>
  useAsk.getState().select({ kind: 'event', rolloutId: rollout.id, event });

/** The gold to mark, and the rollout with the answer to mark: neither before the result is shown. */
const useGold = (rollout: Rollout): { question: Question | null; rollout: Rollout } => {
  const question = useAsk((state) => state.question);
  const finished = useAsk((state) => state.table.finished[rollout.id] === true);
  const replay = useAsk((state) => state.replay);
  const revealed = isRevealed(rollout, finished, replay);
  return useMemo(
    () =>
      revealed ? { question, rollout } : { question: null, rollout: { ...rollout, answer: null } },
    [revealed, question, rollout],
  );
};

/** The raw record. Serialised only once, because a large one takes noticeable time. */
const CopyJson = ({ value }: { value: unknown }) => {
  const text = useMemo(() => JSON.stringify(value, null, 1), [value]);
  return (
    <div className="raw">
      <CopyButton label="copy record" text={() => text} />
      <details>
        <summary>Record</summary>
        <pre>{text}</pre>
      </details>
    </div>
  );
};

/** An event: its body as in the card, its tokens, and its record. */
const EventDetails = ({ rollout, index }: { rollout: Rollout; index: number }) => {
  const gold = useGold(rollout);
  const seen = useMemo(() => firstSeen(rollout.events), [rollout.events]);
  const event = rollout.events[index];
  if (!event) return null;
  const segment = event.segment === undefined ? undefined : rollout.segments[event.segment];
  const glyph = glyphOf(event);
  return (
    <>
      <h2>
        <span className={`glyph tone-${glyph.tone}`} aria-hidden="true">
          <Sign sign={glyph.sign} />
        </span>{' '}
        {glyph.name}
      </h2>
      <p className="fine">
        event {index + 1} of {rollout.events.length}, {formatMs(event.t)} after the start
      </p>
      <EventBody
        rollout={gold.rollout}
        index={index}
        event={event}
        gold={gold.question}
        firstSeen={seen}
        onEvent={(other) => selectEvent(rollout, other)}
        onPassage={(at, hit) =>
          useAsk.getState().select({ kind: 'passage', rolloutId: rollout.id, event: at, hit })
        }
      />
      {segment && event.segment !== undefined ? (
        <SegmentTokens rollout={rollout} index={event.segment} segment={segment} />
      ) : null}
      <CopyJson value={event} />
    </>
  );
};

/** A passage with its rank in each list; "not ranked there" is a result, not missing data. */
const PassageDetails = (props: { rollout: Rollout; event: number; hit: number }) => {
  const gold = useGold(props.rollout);
  const event = props.rollout.events[props.event];
  const hit =
    event?.kind === 'retrieve' || event?.kind === 'background' ? event.hits[props.hit] : undefined;
  if (!hit) return null;
  const { passage } = hit;
  return (
    <>
      <h2>{passage.title}</h2>
      <p>
        <SourceBadge source={hit.source} />{' '}
        {passage.noise ? <span className="badge bad">⚠ {passage.noise}</span> : null}
      </p>
      <PassageText hit={hit} gold={gold.question} answer={gold.rollout.answer} />
      <dl className="pairs">
        <dt>score</dt>
        <dd>{formatNumber(hit.score)}</dd>
        <dt>lexical rank</dt>
        <dd>{hit.lexicalRank ?? 'not ranked there'}</dd>
        <dt>dense rank</dt>
        <dd>{hit.denseRank ?? 'not ranked there'}</dd>
        <dt>cosine</dt>
        <dd>{hit.similarity === undefined ? 'not computed' : formatNumber(hit.similarity)}</dd>
        <dt>id</dt>
        <dd>{passage.id}</dd>
      </dl>
      <button
        type="button"
        className="link"
        onClick={() => selectEvent(props.rollout, props.event)}
      >
        back to the search
      </button>
    </>
  );
};

/** A round in full, event by event; a click on a heading shows the tokens and the record of that event. */
const RoundDetails = ({ rollout, at }: { rollout: Rollout; at: number }) => {
  const gold = useGold(rollout);
  const seen = useMemo(() => firstSeen(rollout.events), [rollout.events]);
  const round = eventRounds(rollout.events)[at];
  if (!round) return null;
  const own = rollout.events.slice(round.from, round.to);
  return (
    <>
      <h2>
        {roundName(
          round,
          own.some(({ kind }) => kind === 'answer'),
        )}
      </h2>
      {/* Forks are offered where one event is shown. */}
      <EventActions value={null}>
        {own.map((event, i) => {
          const index = round.from + i;
          const glyph = glyphOf(event);
          const mechanism = mechanismOf(event);
          return (
            <section key={index} className="round-event">
              <h3>
                <button
                  type="button"
                  className="link"
                  title="Its tokens and its record"
                  onClick={() => selectEvent(rollout, index)}
                >
                  <span className={`glyph tone-${glyph.tone}`} aria-hidden="true">
                    <Sign sign={glyph.sign} />
                  </span>{' '}
                  {glyph.name}
                </button>{' '}
                {mechanism === null ? null : <MechanismTag id={mechanism} />}
              </h3>
              <EventBody
                rollout={gold.rollout}
                index={index}
                event={event}
                gold={gold.question}
                firstSeen={seen}
                onEvent={(other) => selectEvent(rollout, other)}
                onPassage={(event, hit) =>
                  useAsk.getState().select({ kind: 'passage', rolloutId: rollout.id, event, hit })
                }
              />
            </section>
          );
        })}
      </EventActions>
    </>
  );
};

/**
 * Resolves the selection. Its indices refer to the rollouts on the screen, so after a new run they may
 * be invalid.
 */
const Selected = ({ selection, rollout }: { selection: Selection; rollout: Rollout }) => {
  switch (selection.kind) {
    case 'round':
      return <RoundDetails rollout={rollout} at={selection.round} />;
    case 'event':
      return <EventDetails rollout={rollout} index={selection.event} />;
    case 'passage':
      return <PassageDetails rollout={rollout} event={selection.event} hit={selection.hit} />;
    case 'token': {
      const segment: Segment | undefined = rollout.segments[selection.segment];
      if (!segment) return null;
      return <TokenDetails rollout={rollout} segment={selection.segment} token={selection.token} />;
    }
  }
  return unreachable(selection);
};

/** The right-hand panel; it follows the selection until it is pinned. */
export const DetailsPanel = () => {
  const selection = useAsk((state) => state.selection);
  const pinned = useAsk((state) => state.pinned);
  const focused = useAsk((state) => state.address.rollout);
  const rollout = useAsk(({ table: { order, byId } }) => {
    const id = selection?.rolloutId ?? order[Math.min(focused, order.length - 1)];
    return id === undefined ? undefined : byId[id];
  });
  return (
    <aside className="details" aria-label="Details">
      <div className="details-bar">
        <span className="fine grow">{rollout ? `rollout, seed ${rollout.seed}` : 'Details'}</span>
        <button
          type="button"
          className="link"
          aria-pressed={pinned}
          onClick={() => useAsk.setState({ pinned: !pinned })}
        >
          {pinned ? 'pinned' : 'pin'}
        </button>
        <button
          type="button"
          className="link"
          aria-label="Close the details"
          onClick={() => useAsk.setState({ detailsOpen: false, selection: null, pinned: false })}
        >
          ✕
        </button>
      </div>
      {rollout ? (
        // The first round, until something is selected.
        <Selected
          selection={selection ?? { kind: 'round', rolloutId: rollout.id, round: 0 }}
          rollout={rollout}
        />
      ) : (
        <p className="fine">The first round is shown here as soon as it begins.</p>
      )}
    </aside>
  );
};
