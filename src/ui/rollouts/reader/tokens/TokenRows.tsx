import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import {
  TOKEN_COLUMNS,
  type TokenTable,
} from '../../../../evaluate/rollouts/reading/token-table.ts';
import type { ImportedSegment } from '../../../../formats/rollouts/shape/imported.ts';
import { formatNumber } from '../../../kit/words/format.ts';
import { writerName } from '../../../kit/tokens/layout.ts';
import { COLUMN_IDS, maskWords, renamedToken, tokenText } from './token-words.ts';

/** Fixed row height in CSS pixels, so that positions follow from indices. */
const ROW = 22;

/** The tokens as a table, opened at the cursor, with a column per kind of number. Virtualised. */
export const TokenRows = (props: {
  table: TokenTable;
  segments: readonly ImportedSegment[];
  cursor: number | null;
}) => {
  const { table, segments, cursor } = props;
  const scroller = useRef<HTMLDivElement>(null);
  // eslint-disable-next-line react/incompatible-library -- nothing here is memoised by a compiler
  const virtual = useVirtualizer({
    count: table.count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    initialOffset: ROW * Math.max(0, (cursor ?? 0) - 3),
    overscan: 10,
  });
  const items = virtual.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  const columns = COLUMN_IDS.filter((name) => table.columns[name]);
  return (
    <div
      ref={scroller}
      className="chart-table token-table"
      tabIndex={0}
      role="group"
      aria-label="Tokens, table"
    >
      <table aria-rowcount={table.count + 1}>
        <thead>
          <tr>
            <th scope="col" className="figure">
              token
            </th>
            <th scope="col">text</th>
            <th scope="col" className="figure">
              id
            </th>
            <th scope="col">written by</th>
            <th scope="col">mask</th>
            {columns.map((name) => (
              <th key={name} scope="col" className="figure">
                {TOKEN_COLUMNS[name].name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {before > 0 ? <tr aria-hidden="true" style={{ height: before }} /> : null}
          {items.map(({ index }) => {
            const segment = segments[table.segment[index] ?? -1];
            const id = table.ids[index] ?? -1;
            return (
              <tr
                key={index}
                aria-rowindex={index + 2}
                className={index === cursor ? 'chosen' : ''}
                style={{ height: ROW }}
              >
                <th scope="row" className="figure">
                  {index}
                </th>
                <td className="mono" title={renamedToken(table, index)}>
                  {tokenText(table, index)}
                </td>
                <td className="figure">{id < 0 ? '–' : id}</td>
                <td>{segment ? `${writerName(segment.source)}, ${segment.role}` : ''}</td>
                <td>{maskWords(table.mask[index] ?? -1)}</td>
                {columns.map((name) => {
                  const value = table.columns[name]?.[index] ?? NaN;
                  return (
                    <td key={name} className="figure">
                      {Number.isNaN(value) ? '–' : formatNumber(value)}
                    </td>
                  );
                })}
              </tr>
            );
          })}
          {after > 0 ? <tr aria-hidden="true" style={{ height: after }} /> : null}
        </tbody>
      </table>
    </div>
  );
};
