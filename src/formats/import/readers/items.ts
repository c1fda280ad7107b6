import { csvRecords } from './csv.ts';
import { jsonItems } from './json-items.ts';
import { jsonLines } from './json-lines.ts';
import { parquetItems } from './parquet.ts';
import { prose } from './prose.ts';
import type { Format, ImportOptions, RawItem } from '../values/types.ts';

/** The items of a file in its container's form, from the start or a position on. */
export function rawItems(
  blob: Blob,
  format: Format,
  options: ImportOptions,
): AsyncGenerator<RawItem, void> {
  const { resume, signal } = options;
  switch (format.container) {
    case 'jsonl':
      return jsonLines(blob, format, resume, signal);
    case 'json-array':
    case 'json-object':
      return jsonItems(blob, format, resume, signal);
    case 'csv':
    case 'tsv':
      return csvRecords(blob, format, resume, signal);
    case 'parquet':
      return parquetItems(blob, format, resume, signal);
    case 'markdown':
    case 'text':
      return prose(blob, format.container === 'markdown', options);
  }
}
