import { formatOf } from '../../../formats/import/readers/detect.ts';
import type { Container, Format, Schema } from '../../../formats/import/index.ts';

/** Formats in words, and those that a file may be read as. */

const SCHEMAS: Readonly<Record<Schema, string>> = {
  hotpotqa: 'HotpotQA questions',
  '2wikimultihopqa': '2WikiMultiHopQA questions',
  musique: 'MuSiQue questions',
  flashrag: 'FlashRAG questions',
  verl: 'verl questions',
  qa: 'questions and answers',
  passage: 'passages',
  contents: 'passages (contents)',
  'title-sentences': 'passages by title',
  prose: 'running text',
};

const CONTAINERS: Readonly<Record<Container, string>> = {
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
  `${SCHEMAS[schema]}, ${CONTAINERS[container]}`;

const IN_JSON: readonly Schema[] = [
  'hotpotqa',
  '2wikimultihopqa',
  'musique',
  'flashrag',
  'verl',
  'qa',
  'passage',
  'contents',
  'title-sentences',
];

export const FORMATS: readonly Format[] = [
  ...IN_JSON.map((schema) => formatOf('jsonl', schema)),
  ...IN_JSON.slice(0, -1).map((schema) => formatOf('json-array', schema)),
  formatOf('json-object', 'title-sentences'),
  ...(['csv', 'tsv'] as const).flatMap((container) => [
    formatOf(container, 'qa'),
    formatOf(container, 'passage'),
  ]),
  formatOf('parquet', 'verl'),
  formatOf('markdown', 'prose'),
  formatOf('text', 'prose'),
];

export const formatKey = ({ container, schema }: Format): string => `${container}/${schema}`;
