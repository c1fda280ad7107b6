import { memo, useMemo } from 'react';
import type { EvaluatedSystem } from '../../../evaluate/systems/result.ts';
import { Table, type Head } from '../../kit/Table.tsx';
import { Picture } from '../../kit/charts/picture/Picture.tsx';
import { cut, nameWidth, widthOf } from '../pictures/text-width.ts';
import { partsMatrix } from './families.ts';

type Matrix = ReturnType<typeof partsMatrix>;

/** CSS pixels. */
const ROW = 18;
/** Longest slanted name: variants differ in their last words. */
const NAME = 340;
/** √½: width and height of a slanted name per pixel. */
const SLANT = Math.SQRT1_2;

/** Parts as rows, systems as numbered columns: part names are long. */
const Drawing = memo(({ matrix, width }: { matrix: Matrix; width: number }) => {
  const { parts, rows } = matrix;
  const left = widthOf(parts, Math.round(width * 0.5));
  const titles = rows.map(({ system }) => cut(system.title, NAME));
  const across = titles.map((title) => nameWidth(title, false) * SLANT);
  // Leaves room at the right for the slanted names.
  const room = across.map((name, at) => (width - left - name) / (at + 0.6));
  const column = Math.max(14, Math.min(26, ...room));
  const names = Math.ceil(Math.max(0, ...across)) + 12;
  const ends = across.map((name, at) => left + (at + 0.6) * column + name);
  return (
    // Scrolls for many systems, so that names do not overlap.
    <svg
      width={Math.max(width, ...ends.map(Math.ceil))}
      height={names + parts.length * ROW + 6}
      aria-hidden="true"
    >
      {rows.map(({ system }, at) => (
        <text
          key={system.id}
          transform={`translate(${left + (at + 0.6) * column} ${names - 8}) rotate(-45)`}
          className="picture-name"
        >
          {titles[at]}
        </text>
      ))}
      {parts.map((part, row) => (
        <g key={part} transform={`translate(0 ${names + row * ROW})`}>
          <text x={left - 8} y={13} textAnchor="end" className="picture-name">
            {cut(part, left)}
          </text>
          <line
            x1={left}
            x2={left + rows.length * column}
            y1={ROW}
            y2={ROW}
            className="picture-rule"
          />
          {rows.map(({ system, has }, at) =>
            has[row] ? (
              <circle
                key={system.id}
                cx={left + (at + 0.5) * column}
                cy={ROW / 2}
                r={4.5}
                className="picture-dot best"
              />
            ) : null,
          )}
        </g>
      ))}
    </svg>
  );
});

/** Which parts each system has. */
export const PartsPicture = ({ systems }: { systems: readonly EvaluatedSystem[] }) => {
  const matrix = useMemo(() => partsMatrix(systems), [systems]);
  const heads: readonly Head[] = [
    ['part'],
    ...matrix.rows.map(({ system }): Head => [system.title, 'centre']),
  ];
  if (matrix.parts.length === 0)
    return <p className="fine">None of these systems is built from named parts.</p>;
  return (
    <Picture
      id="parts"
      title="Parts of the systems"
      note="The parts of each system, as its recipe names them; the most common first."
      empty={null}
      renderPicture={(width) => (
        <div className="picture-scroll" tabIndex={0} role="group" aria-label="Parts, chart">
          <Drawing matrix={matrix} width={width} />
        </div>
      )}
      renderTable={() => (
        <Table className="plain-table" heads={heads}>
          {matrix.parts.map((part, row) => (
            <tr key={part}>
              <th scope="row">{part}</th>
              {matrix.rows.map(({ system, has }) => (
                <td key={system.id} className="centre">
                  {has[row] ? '✓' : ''}
                </td>
              ))}
            </tr>
          ))}
        </Table>
      )}
    />
  );
};
