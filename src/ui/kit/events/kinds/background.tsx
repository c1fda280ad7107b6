import { formatMs, formatNumber, formatShare } from '../../words/format.ts';
import { Term } from '../../words/explain/Term.tsx';
import type { CardDefinition, EventOf } from '../parts/definition.ts';
import { Hits, titlesLine } from '../parts/Hits.tsx';

/** How well the background fits the question. */
const Relevance = ({ event }: { event: EventOf<'background'> }) => {
  const { meanSimilarity, termOverlap, supportingRecall } = event.relevance;
  return (
    <p className="fine">
      <Term id="d0">D0</Term>, mode {event.mode}. Mean similarity to the question{' '}
      {meanSimilarity === null ? 'not available with lexical search' : formatNumber(meanSimilarity)}
      , shared terms {formatShare(termOverlap)},{' '}
      {supportingRecall === null
        ? 'supporting titles unknown'
        : `${formatShare(supportingRecall)} of the supporting titles`}
      .
    </p>
  );
};

/** The card of the first passages (D0), retrieved before the policy writes. */
export const background: CardDefinition<'background'> = {
  glyph: () => ({ sign: 'background', name: 'Background', tone: 'environment' }),
  line: ({ hits }) => titlesLine(hits),
  lineInBody: false,
  figure: ({ latencyMs }) => formatMs(latencyMs),
  besideText: true,
  Body: (props) => (
    <div className="body">
      <Relevance event={props.event} />
      <Hits {...props} />
    </div>
  ),
};
