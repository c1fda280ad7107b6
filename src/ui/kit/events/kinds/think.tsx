import { Terms } from '../../words/explain/Term.tsx';
import type { CardDefinition } from '../parts/definition.ts';

/** Where a thought is in the paper’s protocol. */
const PHASES = {
  alignment: 'RDRA: t = T(x, D0), equation (2)',
  step: 'between searches',
} as const;

/** The card of a thought. */
export const think: CardDefinition<'think'> = {
  glyph: () => ({ sign: 'think', name: 'Think', tone: 'policy' }),
  line: ({ text }) => text.trim() || 'wrote nothing',
  lineInBody: true,
  besideText: false,
  Body: ({ event }) => (
    <div className="body">
      <p className="prose">{event.text.trim() || 'The model wrote nothing here.'}</p>
      <p className="fine">
        <Terms>{PHASES[event.phase]}</Terms>
      </p>
    </div>
  ),
};
