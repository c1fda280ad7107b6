import type { ReactNode } from 'react';
import { Term, Terms } from './words/explain/Term.tsx';
import type { TermId } from './words/explain/terms.ts';

/** A name and its value; the name explains itself, by `term` or by an acronym in it. */
export const Fact = (props: {
  name: string;
  value: ReactNode;
  title?: string | undefined;
  term?: TermId;
}) => {
  const { name, value, title, term } = props;
  return (
    <span className="fact" title={title}>
      <span className="fine">
        {term === undefined ? <Terms>{name}</Terms> : <Term id={term}>{name}</Term>}
      </span>{' '}
      <b>{value}</b>
    </span>
  );
};
