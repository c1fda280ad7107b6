import type { NumberColumn, PackedColumns, PackedReading, Reading } from '../contract/rollouts.ts';
import {
  VALUE_COLUMNS,
  type ImportedRollout,
  type ImportedSegment,
  type TokenColumns,
  type TokenValues,
} from '../../formats/rollouts/shape/imported.ts';

/**
 * A reading on its way between threads. The numbers of a long trace are millions of list entries that a
 * page unpacks one by one, a tenth of a second in which it answers nobody; as typed arrays they are
 * moved as they lie.
 */

const COLUMNS: readonly NumberColumn[] = ['ids', 'trainedIds', ...VALUE_COLUMNS];

/** Takes the columns out of a copy of the segment. */
function packed(segment: ImportedSegment): { plain: ImportedSegment; columns: PackedColumns } {
  const plain = { ...segment };
  const columns: PackedColumns = {};
  for (const name of COLUMNS) {
    const values: TokenValues | undefined = segment[name];
    if (!values) continue;
    columns[name] = Float64Array.from(values, (value) => value ?? NaN);
    delete plain[name];
  }
  return { plain, columns };
}

const withSegments = (reading: Reading, segments: ImportedSegment[]): Reading => ({
  ...reading,
  rollout: { ...reading.rollout, segments } satisfies ImportedRollout,
});

/** The reading is not changed. */
export function packReading(reading: Reading): PackedReading {
  const parts = reading.rollout.segments.map(packed);
  return {
    reading: withSegments(
      reading,
      parts.map(({ plain }) => plain),
    ),
    columns: parts.map(({ columns }) => columns),
  };
}

/** A plain loop: numbers alone make a list of doubles, which costs a third of one that a callback fills. */
function valuesOf(column: Float64Array): TokenValues {
  const values: TokenValues = [];
  for (const value of column) values.push(Number.isNaN(value) ? null : value);
  return values;
}

/** What was packed, with every number and every null at its place. */
export function unpackReading({ reading, columns }: PackedReading): Reading {
  const segments = reading.rollout.segments.map((segment, s): ImportedSegment => {
    const lists = Object.entries(columns[s] ?? {}).map(([name, values]) => [
      name,
      valuesOf(values),
    ]);
    return { ...segment, ...(Object.fromEntries(lists) as TokenColumns) };
  });
  return withSegments(reading, segments);
}
