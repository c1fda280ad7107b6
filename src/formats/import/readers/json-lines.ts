import { lines } from '../values/lines.ts';
import { parseJsonLine } from '../values/json-value.ts';
import type { Format, RawItem, ResumePosition } from '../values/types.ts';

/** One JSON value per line. A line that cannot be read is a problem of that line only. */
export async function* jsonLines(
  blob: Blob,
  format: Format,
  resume?: ResumePosition,
  signal?: AbortSignal,
): AsyncGenerator<RawItem, void> {
  let item = resume?.item ?? 0;
  const from = { start: resume?.offset ?? 0, firstLine: resume?.line ?? 1 };
  for await (const read of lines(blob, { ...from, ...(signal && { signal }) })) {
    const { line, end } = read;
    if (read.text?.trim() === '') continue;
    const found =
      read.text === null
        ? [{ problem: { key: '', expected: read.problem } }]
        : parseJsonLine(read.text);
    for (const value of found) {
      const next = { format, offset: end, line: line + 1, item: item + 1 };
      yield { item, line, bytes: end, next, ...value };
      item++;
    }
  }
}
