import type { ReactNode } from 'react';
import { explain, useExplained } from './explain-store.ts';
import { termsIn, type TermId } from './terms.ts';
import './explain.css';

/** A word that opens what it means. */
export const Term = ({ id, children }: { id: TermId; children: ReactNode }) => {
  const open = useExplained((state) => state.open?.id === id);
  return (
    <button
      type="button"
      className="explained"
      aria-haspopup="dialog"
      aria-expanded={open}
      onClick={(event) => {
        // A term in something that opens by a press opens itself alone.
        event.stopPropagation();
        event.preventDefault();
        explain(id, event.currentTarget);
      }}
    >
      {children}
    </button>
  );
};

/** A text whose acronyms open what they mean. */
export const Terms = ({ children: text }: { children: string }) =>
  termsIn(text).map(({ text: piece, id }, i) =>
    id === null ? (
      piece
    ) : (
      <Term key={i} id={id}>
        {piece}
      </Term>
    ),
  );
