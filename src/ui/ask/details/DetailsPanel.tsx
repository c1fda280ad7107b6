import { useMemo } from 'react';
import type { Rollout, Segment } from '../../../records/rollout.ts';
import { EventBody } from '../../kit/events/EventBody.tsx';
import { glyphOf } from '../../kit/events/cards.ts';
import { PassageText, SourceBadge } from '../../kit/events/parts/Passages.tsx';
import { Sign } from '../../kit/events/Sign.tsx';
import { firstSeen } from '../../kit/events/parts/support.ts';
import { CopyButton } from '../../kit/CopyButton.tsx';
import { formatMs, formatNumber } from '../../kit/words/format.ts';
import { useRun } from '../store/run-store.ts';
import { useView, type Selection } from '../store/view-store.ts';
import { SegmentTokens, TokenDetails } from './TokenDetails.tsx';
import { unreachable } from '../../kit/unreachable.ts';

/** Opens another event from within the details, as a click on its card does. */
const selectEvent = (rollout: Rollout, event: number) =>
  useView.getState().select({ kind: 'event', rolloutId: rollout.id, event });

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
  const gold = useRun((state) => state.question);
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
        rollout={rollout}
        index={index}
        event={event}
        gold={gold}
        firstSeen={seen}
        onEvent={(other) => selectEvent(rollout, other)}
        onPassage={(at, hit) =>
          useView.getState().select({ kind: 'passage', rolloutId: rollout.id, event: at, hit })
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
  const gold = useRun((state) => state.question);
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
      <PassageText hit={hit} gold={gold} answer={props.rollout.answer} />
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

/**
 * Resolves the selection. Its indices refer to the rollouts on the screen, so after a new run they may
 * be invalid.
 */
const Selected = ({ selection, rollout }: { selection: Selection; rollout: Rollout }) => {
  switch (selection.kind) {
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

/** Says how to select something; the panel has no other entry point. */
const Empty = () => (
  <p className="fine">
    Open a card, or click a passage title or a token in the strip, to see its details.
  </p>
);

/** The right-hand panel; it follows the selection until it is pinned. */
export const DetailsPanel = () => {
  const selection = useView((state) => state.selection);
  const pinned = useView((state) => state.pinned);
  const rollout = useRun((state) =>
    selection ? state.table.byId[selection.rolloutId] : undefined,
  );
  return (
    <aside className="details" aria-label="Details">
      <div className="details-bar">
        <span className="fine grow">{rollout ? `rollout, seed ${rollout.seed}` : 'Details'}</span>
        <button
          type="button"
          className="link"
          aria-pressed={pinned}
          onClick={() => useView.setState({ pinned: !pinned })}
        >
          {pinned ? 'pinned' : 'pin'}
        </button>
        <button
          type="button"
          className="link"
          aria-label="Close the details"
          onClick={() => useView.setState({ detailsOpen: false, selection: null, pinned: false })}
        >
          ✕
        </button>
      </div>
      {selection && rollout ? <Selected selection={selection} rollout={rollout} /> : <Empty />}
    </aside>
  );
};
