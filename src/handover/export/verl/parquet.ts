import type { SchemaElement } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';

/** Rows as verl's `RLHFDataset` reads them, in parquet. */

/** One row of `train.parquet` or `val.parquet`. */
export interface VerlRow {
  /** The user's message; verl only shows it, since the environment writes the prompt. */
  readonly text: string;
  readonly answers: readonly string[];
  readonly split: 'train' | 'dev';
  /** Number of the curriculum's draw, or place in the held-out sample, from 0. */
  readonly place: number;
  /** Id of the question; empty where the environment draws it. */
  readonly question: string;
}

const group = (name: string, children: number): SchemaElement => ({
  name,
  repetition_type: 'REQUIRED',
  num_children: children,
});
const text = (name: string): SchemaElement => ({
  name,
  type: 'BYTE_ARRAY',
  converted_type: 'UTF8',
  repetition_type: 'REQUIRED',
});
/** A list is a group of its own with one repeated group in it (parquet-format, LogicalTypes.md). */
const list = (name: string): SchemaElement[] => [
  { ...group(name, 1), converted_type: 'LIST' },
  { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
];

const SCHEMA: SchemaElement[] = [
  { name: 'root', num_children: 6 },
  text('data_source'),
  text('agent_name'),
  ...list('prompt'),
  group('element', 2),
  text('role'),
  text('content'),
  text('ability'),
  group('reward_model', 2),
  text('style'),
  ...list('ground_truth'),
  text('element'),
  group('extra_info', 4),
  // verl identifies rows by `index`: one type in all of them, and unique.
  { name: 'index', type: 'INT64', repetition_type: 'REQUIRED' },
  text('split'),
  { name: 'place', type: 'INT64', repetition_type: 'REQUIRED' },
  text('question'),
];

/** @param rows at least one: verl opens no empty file */
export function verlParquet(rows: readonly VerlRow[]): Uint8Array<ArrayBuffer> {
  const column = (name: string, of: (row: VerlRow, i: number) => unknown) => ({
    name,
    data: rows.map(of),
  });
  return new Uint8Array(
    parquetWriteBuffer({
      schema: SCHEMA,
      codec: 'UNCOMPRESSED',
      createdBy: 'forage',
      columnData: [
        column('data_source', () => 'forage'),
        column('agent_name', () => 'forage'),
        column('prompt', ({ text: content }) => [{ role: 'user', content }]),
        column('ability', () => 'qa'),
        column('reward_model', ({ answers }) => ({ style: 'rule', ground_truth: [...answers] })),
        column('extra_info', ({ split, place, question }, i) => ({
          index: BigInt(i),
          split,
          place: BigInt(place),
          question,
        })),
      ],
    }),
  );
}
