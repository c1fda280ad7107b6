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

const PUNCTUATION_FIRST = /^[^\p{L}\p{N}\s]*/u;
const PUNCTUATION_LAST = /[^\p{L}\p{N}\s]*$/u;

/** A text with explained acronyms. A line would break at a button: punctuation stays with the acronym that it touches. */
export const Terms = ({ children: text }: { children: string }) => {
  const pieces = termsIn(text);
  const parts = pieces.map(({ text: piece, id }, i) => {
    if (id !== null) return ['', piece, ''];
    const start = i === 0 ? '' : (PUNCTUATION_FIRST.exec(piece)?.[0] ?? '');
    const rest = piece.slice(start.length);
    const end = i === pieces.length - 1 ? '' : (PUNCTUATION_LAST.exec(rest)?.[0] ?? '');
    return [start, rest.slice(0, rest.length - end.length), end] as const;
  });
  return pieces.map(({ text: piece, id }, i) => {
    if (id === null) return parts[i]?.[1];
    return (
      <span key={i} className="unbroken">
        {parts[i - 1]?.[2]}
        <Term id={id}>{piece}</Term>
        {parts[i + 1]?.[0]}
      </span>
    );
  });
};

/** For a text that has its own click action: a mark for each acronym in it. */
export const TermMarks = ({ of }: { of: string }) =>
  termsIn(of).map(({ text: piece, id }, i) =>
    id === null ? null : (
      <Term key={i} id={id} label={`What ${piece} means`}>
        ?
      </Term>
    ),
  );
