import type { Container, Format } from '../../../formats/import/values/types.ts';
import { formatsOf, itemSchema, SCHEMAS } from '../../../formats/import/schemas/list.ts';

/** Names of formats, and which formats a file may be read as. */

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

/** “HotpotQA, JSON list”: the items, then the syntax. */
export const formatWords = ({ container, schema }: Format): string =>
  `${itemSchema(schema).name}, ${CONTAINER_WORDS[container]}`;

/** Every format that a file may be read as. */
export const FORMATS: readonly Format[] = formatsOf(SCHEMAS);

/** One word per format, for option values. */
export const formatKey = ({ container, schema }: Format): string => `${container}/${schema}`;
