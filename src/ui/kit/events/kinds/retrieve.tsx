import { formatBytes, formatMs, plural } from '../../words/format.ts';
import type { CardDefinition, EventOf } from '../parts/definition.ts';
import { Hits, titlesLine } from '../parts/Hits.tsx';

/** Details of a search: source, time, and what was new in its results. */
const CallLine = ({ event }: { event: EventOf<'retrieve'> }) => (
  <p className="fine">
    “{event.query}” asked of {event.source}: {formatMs(event.latencyMs)}
    {event.asked === undefined
      ? ''
      : `, ${event.hits.length} of ${event.asked} passages: the context has no room for more`}
    {event.addedDelayMs > 0 ? ` (${formatMs(event.addedDelayMs)} added)` : ''}
    {event.requests === undefined ? '' : ` · ${plural(event.requests, 'request')}`}
    {event.bytes === undefined ? '' : ` · ${formatBytes(event.bytes)}`} ·{' '}
    {event.newSupporting === null
      ? 'supporting titles unknown'
      : plural(event.newSupporting.length, 'new supporting title')}{' '}
    · {plural(event.duplicates.length, 'passage')} seen before
    {event.leftOut
      ? ` · ${plural(event.leftOut.length, 'passage')} left out, shown before`
      : ''} ·{' '}
    {plural(event.newEntities, 'new entity', 'new entities')}
  </p>
);

/** The card of the passages that a search returned. */
export const retrieve: CardDefinition<'retrieve'> = {
  glyph: () => ({ sign: 'passages', name: 'Passages', tone: 'environment' }),
  line: ({ hits }) => titlesLine(hits),
  lineInBody: false,
  figure: ({ latencyMs }) => formatMs(latencyMs),
  besideText: true,
  Body: (props) => (
    <div className="body">
      <CallLine event={props.event} />
      <Hits {...props} />
    </div>
  ),
};
