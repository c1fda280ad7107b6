import type { ReactNode } from 'react';
import { Table, type Head, type Sorting } from './Table.tsx';

/** The table of a page's list; it scrolls horizontally if it is too wide. */
export const ListTable = ({
  name,
  heads,
  sorting,
  children,
}: {
  name: string;
  heads: readonly Head[];
  sorting?: Sorting;
  /** Rows. */
  children: ReactNode;
}) => (
  <div className="list-scroll" tabIndex={0} role="group" aria-label={`${name}, table`}>
    <Table className="list-table" heads={heads} sorting={sorting}>
      {children}
    </Table>
  </div>
);

/** The details of a row, next to its first column. */
export const BelowRow = ({ heads, children }: { heads: readonly Head[]; children: ReactNode }) => (
  <tr>
    <td />
    <td colSpan={heads.length - 1}>{children}</td>
  </tr>
);

/** Actions of a row. */
export const RowActions = ({
  name,
  open,
  toggle,
  remove,
  busy = false,
}: {
  name: string;
  open: boolean;
  toggle: () => void;
  remove: () => void;
  /** It cannot be deleted now. */
  busy?: boolean;
}) => (
  <span className="row-actions">
    <button
      type="button"
      className="link"
      aria-expanded={open}
      aria-label={`${open ? 'Close' : 'Edit and export'} ${name}`}
      onClick={toggle}
    >
      {open ? 'close' : 'edit, export'}
    </button>
    <button
      type="button"
      className="link"
      aria-label={`Delete ${name}`}
      disabled={busy}
      onClick={remove}
    >
      delete
    </button>
  </span>
);
