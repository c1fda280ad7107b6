import type { ReactNode } from 'react';
import { explain, useExplained } from './explain-store.ts';
import { termsIn, type TermId } from './terms.ts';
import './explain.css';

/** A word that opens what it means. */
export const Term = (props: {
  id: TermId;
  children: ReactNode;
  /** Where the word itself is not what is pressed. */
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
        // A term in something that opens by a click opens itself alone.
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

/** Beside a text that does something else when it is pressed: a mark for each acronym in it. */
export const TermMarks = ({ of }: { of: string }) =>
  termsIn(of).map(({ text: piece, id }, i) =>
    id === null ? null : (
      <Term key={i} id={id} label={`What ${piece} means`}>
        ?
      </Term>
    ),
  );
