import type { ReactNode } from 'react';

/** A column's name and class; `visually` where the name is for screen readers alone. */
export type Head = readonly [name: string, className?: string];

/**
 * The table of every page: a row of heads, each the header of its column, above the rows. How it looks
 * is the class's: `list-table` in a list of things that can be opened, `plain-table` for results.
 */
export const Table = (props: {
  className: string;
  heads: readonly Head[];
  /** Rows. */
  children: ReactNode;
}) => (
  <table className={props.className}>
    <thead>
      <tr>
        {props.heads.map(([head, className]) => (
          <th key={head} scope="col" className={className}>
            {className === 'visually' ? <span className="visually-hidden">{head}</span> : head}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>{props.children}</tbody>
  </table>
);
