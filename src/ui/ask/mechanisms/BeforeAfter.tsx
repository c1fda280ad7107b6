import { useMemo } from 'react';
import { MECHANISMS } from '../../kit/rounds/round-words.ts';
import { formatNumber, formatSeconds } from '../../kit/words/format.ts';
import type { Outcome } from '../store/comparison.ts';
import { isRunning, useRun } from '../store/run-store.ts';
import { useView } from '../store/view-store.ts';
import { outcomeOf, rightWords } from './outcome.ts';

const COLUMNS: readonly (readonly [name: string, of: (outcome: Outcome) => string])[] = [
  ['answer', ({ answer }) => answer],
  ['result', rightWords],
  ['searches', ({ searches }) => formatNumber(searches)],
  ['time', ({ seconds }) => formatSeconds(seconds)],
];

/** The same question with a mechanism and without it. */
export const BeforeAfter = () => {
  const comparison = useRun((state) => state.comparison);
  const request = useRun((state) => state.request);
  const table = useRun((state) => state.table);
  const forks = useRun((state) => state.forks);
  const running = useRun((state) => isRunning(state.run) && state.forking === null);
  const replaying = useView((state) => state.replay !== null);
  const after = useMemo(
    () =>
      running || replaying
        ? null
        : outcomeOf(table.order.flatMap((id) => (forks[id] ? [] : (table.byId[id] ?? [])))),
    [running, replaying, table, forks],
  );
  if (comparison === null || comparison.after !== request) return null;
  const { mechanism, wasOn, before } = comparison;
  const { name } = MECHANISMS[mechanism];
  return (
    <table className={`before-after of-${mechanism}`} data-testid="before-after">
      <caption className="visually-hidden">The same question with {name} and without it</caption>
      <thead>
        <tr>
          <td />
          {COLUMNS.map(([column]) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row">
            before: {name} {wasOn ? 'on' : 'off'}
          </th>
          {COLUMNS.map(([column, of]) => (
            <td key={column}>{of(before)}</td>
          ))}
        </tr>
        <tr>
          <th scope="row">
            after: {name} {wasOn ? 'off' : 'on'}
          </th>
          {COLUMNS.map(([column, of]) => (
            <td key={column}>{after === null ? '…' : of(after)}</td>
          ))}
        </tr>
      </tbody>
    </table>
  );
};
