import type { ReactNode } from 'react';
import { TermMarks, Terms } from './words/explain/Term.tsx';

/** A column's name and class; `visually`: the name is only for screen readers. */
export type Head = readonly [name: string, className?: string];

/** A sortable table. */
export interface Sorting {
  /** Heads that sort. */
  names: readonly string[];
  by: string;
  descending: boolean;
  sort: (name: string) => void;
}

const SortHead = ({ name, sorting }: { name: string; sorting: Sorting }) => (
  <>
    <button type="button" className="sort-head" onClick={() => sorting.sort(name)}>
      {name}
      <span aria-hidden="true">
        {sorting.by === name ? (sorting.descending ? ' ↓' : ' ↑') : ''}
      </span>
    </button>
    <TermMarks of={name} />
  </>
);

const sortedAs = (name: string, sorting: Sorting | undefined) => {
  if (!sorting?.names.includes(name)) return undefined;
  if (sorting.by !== name) return 'none' as const;
  return sorting.descending ? ('descending' as const) : ('ascending' as const);
};

/**
 * The table of every page: a row of column headers above the rows. The class sets the style:
 * `list-table` for lists, `plain-table` for results.
 */
export const Table = (props: {
  className: string;
  heads: readonly Head[];
  sorting?: Sorting;
  /** Rows. */
  children: ReactNode;
}) => (
  <table className={props.className}>
    <thead>
      <tr>
        {props.heads.map(([head, className]) => (
          <th
            key={head}
            scope="col"
            className={className}
            aria-sort={sortedAs(head, props.sorting)}
            aria-label={props.sorting?.names.includes(head) ? head : undefined}
          >
            {className === 'visually' ? (
              <span className="visually-hidden">{head}</span>
            ) : props.sorting?.names.includes(head) ? (
              <SortHead name={head} sorting={props.sorting} />
            ) : (
              <Terms>{head}</Terms>
            )}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>{props.children}</tbody>
  </table>
);
