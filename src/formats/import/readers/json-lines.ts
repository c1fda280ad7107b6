import { lines } from '../values/lines.ts';
import { parseJsonValue } from '../values/json-value.ts';
import type { Format, RawItem, ResumePosition } from '../values/types.ts';

/** One JSON value a line. A line that cannot be read is a problem of that line only. */
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
    const next = { format, offset: end, line: line + 1, item: item + 1 };
    const where = { item, line, bytes: end, next };
    if (read.text === null) yield { ...where, problem: { key: '', expected: read.problem } };
    else if (read.text.trim() === '') continue;
    else yield { ...where, ...parseJsonValue(read.text) };
    item++;
  }
}
