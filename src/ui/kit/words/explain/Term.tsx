import type { ReactNode } from 'react';
import { explain, useExplained } from './explain-store.ts';
import { termsIn, type TermId } from './terms.ts';
import './explain.css';

/** A word that opens its explanation. */
export const Term = (props: {
  id: TermId;
  children: ReactNode;
  /** If the button is not the word itself. */
  label?: string;
}) => {
  const { id, children, label } = props;
  const open = useExplained((state) => state.open?.id === id);
  return (
    <button
      type="button"
      className={label === undefined ? 'explained' : 'explained-beside'}
      aria-label={label}
      aria-haspopup="dialog"
      aria-expanded={open}
      onClick={(event) => {
        // A term inside a clickable element opens only its explanation.
        event.stopPropagation();
        event.preventDefault();
        explain(id, event.currentTarget);
      }}
    >
      {children}
    </button>
  );
};

/** A text with explained acronyms. */
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

/** For a text that has its own click action: a mark for each acronym in it. */
export const TermMarks = ({ of }: { of: string }) =>
  termsIn(of).map(({ text: piece, id }, i) =>
    id === null ? null : (
      <Term key={i} id={id} label={`What ${piece} means`}>
        ?
      </Term>
    ),
  );
