import type { SummarizeEvent } from '../../../../records/events.ts';
import type { Passage } from '../../../../records/records.ts';
import type { Rollout } from '../../../../records/rollout.ts';
import { formatMs, plural } from '../../words/format.ts';
import type { CardDefinition, EventBodyProps } from '../parts/definition.ts';

/** The summarized passages, from the call that found them. */
function passagesOf(rollout: Rollout, index: number, event: SummarizeEvent): Passage[] {
  const hits = rollout.events
    .slice(0, index)
    .flatMap((before) => (before.kind === 'retrieve' ? before.hits : []));
  return event.passages.flatMap((id) => {
    const found = hits.findLast(({ passage }) => passage.id === id);
    return found ? [found.passage] : [];
  });
}

const wordCount = (text: string): number => text.match(/\S+/gu)?.length ?? 0;

/** UR²'s summarized retrieval: input, output, and why a query was sent back. */
const SummaryBody = ({ rollout, index, event }: EventBodyProps<'summarize'>) => {
  const passages = passagesOf(rollout, index, event);
  const words = passages.reduce((sum, { text }) => sum + wordCount(text), 0);
  return (
    <div className="body">
      {event.text.split('\n').map((line, i) => (
        <p key={i} className="prose">
          {line}
        </p>
      ))}
      {event.fallback ? (
        <p>
          <span className="badge bad">↩ sent back</span> {event.reason}. A hint follows; neither is
          trained.
        </p>
      ) : null}
      <p className="fine">
        In: {passages.map(({ title }) => title).join(' · ') || 'no passages'} (
        {plural(words, 'word')}). Out: {plural(wordCount(event.text), 'word')}, which the model read
        instead.
      </p>
      <p className="fine">
        Summarized for “{event.query}” by {event.by}
        {event.cached ? ', from the cache' : ''} in {formatMs(event.latencyMs)}.
      </p>
    </div>
  );
};

/** The card of a summary of passages, or of why the summarizer’s text was not used. */
export const summarize: CardDefinition<'summarize'> = {
  glyph: () => ({ sign: 'summary', name: 'Summary', tone: 'environment' }),
  line: (event) => (event.fallback ? `sent back: ${event.reason}` : event.text.trim()),
  lineInBody: true,
  figure: ({ latencyMs }) => formatMs(latencyMs),
  besideText: true,
  Body: SummaryBody,
};
