import { Terms } from '../../words/explain/Term.tsx';
import type { CardDefinition, EventOf } from '../parts/definition.ts';

type Author = EventOf<'answer'>['by'];

const FIGURE: Record<Author, string> = {
  policy: '',
  stie: 'by STIE',
  vote: 'by vote',
  forced: 'at a limit',
};

const HOW: Record<Author, string> = {
  policy: 'written by the model',
  stie: 'chosen by STIE among the probed candidates',
  vote: 'given by most of the answers',
  forced: 'requested at a limit',
};

/** The card of an answer; a label marks answers that the policy did not write by itself. */
export const answer: CardDefinition<'answer'> = {
  glyph: () => ({ sign: 'answer', name: 'Answer', tone: 'policy' }),
  line: ({ text }) => text.trim() || '(empty)',
  lineInBody: true,
  figure: ({ by }) => FIGURE[by],
  besideText: false,
  Body: ({ event }) => (
    <div className="body">
      <p className="prose">
        <b>{event.text || '(empty)'}</b>
      </p>
      <p className="fine">
        {event.form} answer, <Terms>{HOW[event.by]}</Terms>.
      </p>
    </div>
  ),
};
