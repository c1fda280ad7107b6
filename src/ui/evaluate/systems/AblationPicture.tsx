import { memo, useMemo, useState } from 'react';
import type { EvaluatedSystem } from '../../../evaluate/systems/result.ts';
import type { Interval } from '../../../evaluate/bootstrap.ts';
import { MEASURES, type Measure } from '../../../evaluate/systems/table/measures.ts';
import type { Difference } from '../../../evaluate/systems/table/shape.ts';
import { linearAxis, placeOf, type Axis } from '../../kit/charts/axis.ts';
import { DASH } from '../../kit/words/format.ts';
import { PickField } from '../../kit/PickField.tsx';
import { Table, type Head } from '../../kit/Table.tsx';
import { Picture } from '../../kit/charts/picture/Picture.tsx';
import { cut, widthOf } from '../pictures/text-width.ts';
import {
  chanceWords,
  differenceWords,
  endsTitle,
  endsWords,
  valueWords,
} from '../table/cell-words.ts';
import type { Family } from './families.ts';

/** A row: the full system, or a variant. */
interface Line {
  id: string;
  name: string;
  /** Values of the family's settings. */
  values: readonly { text: string; changed: boolean }[];
  /** Mean of the measure; null where no rollout has it. */
  value: Interval | null;
  /** Null in the full system itself. */
  difference: Difference | null;
}

/** Rows of a family for one measure; settings that differ from the full system are marked. */
const linesOf = (
  { whole, matrix }: Family,
  systems: readonly EvaluatedSystem[],
  measure: Measure,
): Line[] => {
  const own = matrix.rows.find(({ system }) => system === whole.id)?.settings ?? [];
  const lines = matrix.rows.map(({ system, settings, row }): Line => {
    const cell = row.cells.find((one) => one.measure === measure.id);
    return {
      id: system,
      name: systems.find(({ id }) => id === system)?.title ?? system,
      values: settings.map((text, at) => ({ text, changed: text !== own[at] })),
      value: cell?.value ?? null,
      difference: cell?.difference ?? null,
    };
  });
  // The full system is always first.
  return lines.toSorted((a, b) => Number(b.id === whole.id) - Number(a.id === whole.id));
};

/** CSS pixels: of a row, above the first and below the last. */
const ROW = 24;
const HEAD = 34;
const FOOT = 22;
/** Covers all intervals and always zero. */
const axisOf = (lines: readonly Line[]): Axis => {
  const ends = lines.flatMap(({ difference }) =>
    difference ? [difference.low ?? difference.mean, difference.high ?? difference.mean] : [],
  );
  return linearAxis(Math.min(-0.01, ...ends), Math.max(0.01, ...ends), 4);
};

/** The difference from the full system with its interval, and the changed settings. */
const Drawing = memo(
  (props: {
    lines: readonly Line[];
    settings: readonly string[];
    measure: Measure;
    width: number;
  }) => {
    const { lines, settings, measure, width } = props;
    const names = widthOf(
      lines.map(({ name }) => name),
      Math.round(width * 0.34),
    );
    const columnWidths = settings.map((setting, at) =>
      widthOf([setting, ...lines.map(({ values }) => values[at]?.text ?? '')], 150),
    );
    // Without room, the settings are only in the table.
    const room = width - names - 240;
    const columns = columnWidths.reduce((sum, one) => sum + one, 0) <= room ? columnWidths : [];
    const left = names + columns.reduce((sum, one) => sum + one, 0);
    const axis = axisOf(lines);
    const x = (value: number): number => left + 12 + placeOf(axis, value) * (width - left - 74);
    const height = HEAD + lines.length * ROW + FOOT;
    const starts = columns.map((_, at) => names + columns.slice(0, at).reduce((s, w) => s + w, 0));
    return (
      <svg width={width} height={height} aria-hidden="true">
        {columns.map((size, at) => (
          <text key={settings[at]} x={starts[at]} y={14} className="picture-tick">
            {cut(settings[at] ?? '', size)}
          </text>
        ))}
        <text x={left + 12} y={14} className="picture-tick">
          {measure.title}, difference from the full system
        </text>
        {axis.ticks.map((tick) => (
          <g key={tick}>
            <line
              x1={x(tick)}
              x2={x(tick)}
              y1={HEAD - 8}
              y2={height - FOOT}
              className={tick === 0 ? 'picture-zero' : 'picture-rule'}
            />
            <text x={x(tick)} y={height - 7} textAnchor="middle" className="picture-tick">
              {differenceWords({ mean: tick }, measure)}
            </text>
          </g>
        ))}
        {lines.map(({ id, name, values, difference, value }, row) => (
          <g key={id} transform={`translate(0 ${HEAD + row * ROW})`}>
            <text x={0} y={12} className={row === 0 ? 'picture-name best' : 'picture-name'}>
              {cut(name, names)}
            </text>
            {columns.map((size, at) => (
              <text
                key={settings[at]}
                x={starts[at]}
                y={12}
                className={values[at]?.changed ? 'picture-name best' : 'picture-tick'}
              >
                {cut(values[at]?.text ?? '', size)}
              </text>
            ))}
            {difference ? (
              <>
                {difference.low === null ? null : (
                  <line
                    x1={x(difference.low)}
                    x2={x(difference.high)}
                    y1={8}
                    y2={8}
                    className="picture-whisker"
                  />
                )}
                <circle cx={x(difference.mean)} cy={8} r={4} className="picture-dot best" />
              </>
            ) : row === 0 ? (
              <circle cx={x(0)} cy={8} r={4} className="picture-dot" />
            ) : null}
            <text x={width} y={12} textAnchor="end" className="picture-name">
              {value ? valueWords(value.mean, measure) : DASH}
            </text>
          </g>
        ))}
      </svg>
    );
  },
);

const IDS = MEASURES.map(({ id }) => id);
const NAMES = Object.fromEntries(MEASURES.map(({ id, title }) => [id, title]));
const EM = MEASURES[0];

/** What each part contributes: paired differences of the variants from the full system. */
export const AblationPicture = (props: { family: Family; systems: readonly EvaluatedSystem[] }) => {
  const { family, systems } = props;
  const { settings } = family.matrix;
  const [id, setId] = useState(IDS[0]);
  const measure = MEASURES.find((one) => one.id === id) ?? EM;
  const lines = useMemo(
    () => (measure ? linesOf(family, systems, measure) : []),
    [family, systems, measure],
  );
  if (!measure) return null;
  const heads: readonly Head[] = [
    ['system'],
    ...settings.map((setting): Head => [setting]),
    [measure.title, 'figure'],
    ['difference', 'figure'],
    ['95 %', 'figure'],
    ['p, Holm', 'figure'],
  ];
  return (
    <Picture
      id={`ablation-${family.whole.id}`}
      title={`Parts of ${family.whole.title}`}
      note="Each row is the full system with one change, on the same questions. Line: 95 % interval of the paired difference (none for one question or equal differences); right: the mean."
      empty={lines.some(({ value }) => value !== null) ? null : 'Appears with the first rollouts.'}
      controls={
        <PickField
          aria-label={`Measure to compare the parts of ${family.whole.title} by`}
          className="picture-choice"
          values={IDS}
          names={NAMES}
          value={measure.id}
          onPick={setId}
        />
      }
      renderPicture={(width) => (
        <Drawing lines={lines} settings={settings} measure={measure} width={width} />
      )}
      renderTable={() => (
        <Table className="plain-table" heads={heads}>
          {lines.map(({ id: line, name, values, value, difference }) => (
            <tr key={line}>
              <th scope="row">{name}</th>
              {values.map(({ text, changed }, at) => (
                <td key={settings[at]}>{changed ? <b>{text}</b> : text}</td>
              ))}
              <td className="figure">{valueWords(value?.mean ?? null, measure)}</td>
              <td className="figure">{difference ? differenceWords(difference, measure) : DASH}</td>
              <td className="figure" title={endsTitle(difference)}>
                {difference ? endsWords(difference, measure) : DASH}
              </td>
              <td className="figure">{difference ? chanceWords(difference) : DASH}</td>
            </tr>
          ))}
        </Table>
      )}
    />
  );
};
