import { stieText } from '../../../../agent/stie-counts.ts';
import type { StieCounts } from '../../../../records/stie.ts';
import { Term } from './Term.tsx';
import type { TermId } from './terms.ts';

/** Explained words of the line. */
const MEANT: Readonly<Record<string, TermId>> = {
  answer: 'candidate',
  answers: 'candidate',
  repeat: 'diff',
  repeats: 'diff',
  blocked: 'blocked',
};

const PIECES = /\b(answers?|repeats?|blocked)\b/;

/** What STIE did, in one line with explained words. */
export const StieWords = ({ counts }: { counts: StieCounts }) => (
  <p className="fine" data-testid="stie-counts">
    <Term id="stie">STIE</Term>{' '}
    {stieText(counts)
      .split(PIECES)
      .map((piece, at) => {
        const id = MEANT[piece];
        return id === undefined ? (
          piece
        ) : (
          <Term key={at} id={id}>
            {piece}
          </Term>
        );
      })}
  </p>
);
