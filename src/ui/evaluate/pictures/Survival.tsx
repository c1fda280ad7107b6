import { memo, useMemo } from 'react';
import type { Survival as Survived } from '../../../evaluate/systems/pictures/pictures.ts';
import { rightBy } from '../../../evaluate/rollouts/basis.ts';
import type { EvaluatedSystem } from '../../../evaluate/systems/result.ts';
import { DASH, formatCount, formatShare } from '../../kit/words/format.ts';
import { Table, type Head } from '../../kit/Table.tsx';
import { Picture } from '../../kit/charts/picture/Picture.tsx';
import { cut, widthOf } from './text-width.ts';

interface SurvivalProps {
  systems: readonly EvaluatedSystem[];
  rows: readonly Survived[];
  empty: string | null;
}

interface Line {
  id: string;
  name: string;
  /** Share that is left after each hop; null where no chain is so long. */
  alive: (number | null)[];
  /** Share of right answers with the whole chain, and without. */
  whole: number | null;
  broken: number | null;
}

const share = (part: number, of: number): number | null => (of === 0 ? null : part / of);

const linesOf = (systems: readonly EvaluatedSystem[], rows: readonly Survived[]): Line[] => {
  const titles = new Map(systems.map(({ id, title }) => [id, title]));
  return rows
    .filter(({ hops }) => hops.length > 0)
    .map(({ system, hops, whole, broken }) => ({
      id: system,
      name: titles.get(system) ?? system,
      alive: hops.map(({ alive, of }) => share(alive, of)),
      whole: share(whole.right, whole.of),
      broken: share(broken.right, broken.of),
    }));
};

const RIGHT = rightBy(true, 'em');

const ROW = 24;
const HEAD = 20;

const Drawing = memo(({ lines, width }: { lines: readonly Line[]; width: number }) => {
  const hops = Math.max(...lines.map(({ alive }) => alive.length));
  const left = widthOf(
    lines.map(({ name }) => name),
    Math.round(width * 0.34),
  );
  const columns = hops + 2;
  const column = (width - left) / columns;
  const heads = [
    ...Array.from({ length: hops }, (_, index) => `hop ${index + 1}`),
    ...(column < 150
      ? ['✓ whole', '✓ broken']
      : [`${RIGHT}, whole chain`, `${RIGHT}, broken chain`]),
  ];
  return (
    <svg width={width} height={HEAD + lines.length * ROW} aria-hidden="true">
      {heads.map((head, index) => (
        <text key={head} x={left + index * column} y={13} className="picture-tick">
          {head}
        </text>
      ))}
      {lines.map(({ id, name, alive, whole, broken }, at) => (
        <g key={id} transform={`translate(0 ${HEAD + at * ROW})`}>
          <text x={left - 8} y={15} textAnchor="end" className="picture-name">
            {cut(name, left)}
          </text>
          {heads.map((head, index) => {
            const value = index < hops ? (alive[index] ?? null) : index === hops ? whole : broken;
            return (
              <g key={head} transform={`translate(${left + index * column} 0)`}>
                <rect y={4} width={column - 8} height={15} className="survival-all" rx={2} />
                <rect
                  y={4}
                  width={(value ?? 0) * (column - 8)}
                  height={15}
                  rx={2}
                  className={index < hops ? 'survival-hop' : 'survival-answer'}
                />
                <text x={column - 12} y={15.5} textAnchor="end" className="survival-value">
                  {formatShare(value)}
                </text>
              </g>
            );
          })}
        </g>
      ))}
    </svg>
  );
});

const ofWords = (part: number | undefined, of: number | undefined): string =>
  part === undefined || of === undefined || of === 0
    ? DASH
    : `${formatShare(part / of)} of ${formatCount(of)}`;

/** Hop by hop, which share of the rollouts still has all the evidence. */
export const Survival = ({ systems, rows, empty }: SurvivalProps) => {
  const lines = useMemo(() => linesOf(systems, rows), [systems, rows]);
  const hops = Math.max(0, ...rows.map((row) => row.hops.length));
  const heads: readonly Head[] = [
    ['system'],
    ...Array.from({ length: hops }, (_, index): Head => [`hop ${index + 1}`, 'figure']),
    [`${RIGHT}, whole chain`, 'figure'],
    [`${RIGHT}, broken chain`, 'figure'],
  ];
  return (
    <Picture
      id="survival"
      title="Survival, hop by hop"
      note="Of rollouts on questions with at least so many hops, those that retrieved the passages of all of them so far; then how many answer right by EM with the whole chain, and without it."
      empty={empty}
      renderPicture={(width) => <Drawing lines={lines} width={width} />}
      renderTable={() => (
        <Table className="plain-table" heads={heads}>
          {rows.map(({ system, hops: own, whole, broken }) => (
            <tr key={system}>
              <th scope="row">{systems.find(({ id }) => id === system)?.title ?? system}</th>
              {Array.from({ length: hops }, (_, index) => (
                <td key={index} className="figure">
                  {ofWords(own[index]?.alive, own[index]?.of)}
                </td>
              ))}
              <td className="figure">{ofWords(whole.right, whole.of)}</td>
              <td className="figure">{ofWords(broken.right, broken.of)}</td>
            </tr>
          ))}
        </Table>
      )}
    />
  );
};
