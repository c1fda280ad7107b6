import { useMemo } from 'react';
import { MECHANISMS } from '../../kit/rounds/round-words.ts';
import { formatNumber, formatSeconds } from '../../kit/words/format.ts';
import type { Outcome } from '../store/comparison.ts';
import { isRunning, useRun } from '../store/run-store.ts';
import { useView } from '../store/view-store.ts';
import { outcomeOf, rightWords } from './outcome.ts';

const ROWS: readonly (readonly [name: string, of: (outcome: Outcome) => string])[] = [
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
          <th scope="col">
            before: {name} {wasOn ? 'on' : 'off'}
          </th>
          <th scope="col">
            after: {name} {wasOn ? 'off' : 'on'}
          </th>
        </tr>
      </thead>
      <tbody>
        {ROWS.map(([row, of]) => (
          <tr key={row}>
            <th scope="row">{row}</th>
            <td>{of(before)}</td>
            <td>{after === null ? '…' : of(after)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
};
