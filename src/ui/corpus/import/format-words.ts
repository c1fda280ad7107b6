import type { Container, Format } from '../../../formats/import/values/types.ts';
import { formatsOf, itemSchema, SCHEMAS } from '../../../formats/import/schemas/list.ts';

/** Formats in words, and those that a file may be read as. */

const CONTAINER_WORDS: Readonly<Record<Container, string>> = {
  jsonl: 'JSON lines',
  'json-array': 'JSON list',
  'json-object': 'JSON object',
  csv: 'CSV',
  tsv: 'TSV',
  parquet: 'parquet',
  markdown: 'Markdown',
  text: 'plain text',
};

export const formatWords = ({ container, schema }: Format): string =>
  `${itemSchema(schema).name}, ${CONTAINER_WORDS[container]}`;

export const FORMATS: readonly Format[] = formatsOf(SCHEMAS);

export const formatKey = ({ container, schema }: Format): string => `${container}/${schema}`;
