import {
  VALUE_COLUMNS,
  type ImportedRollout,
  type ImportedSegment,
} from '../../../formats/rollouts/shape/imported.ts';
import { finding, wholeSpan, type Finding } from './finding.ts';

/** Decodes ids with the policy's tokenizer, where the caller has it. */
export type Decode = (ids: readonly number[]) => string;

function firstDifference(a: readonly number[], b: readonly number[]): number {
  const length = Math.max(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return i;
  return -1;
}

/** What is wrong with one segment's tokens, as text, and from which token on; null where nothing is. */
function faultOf(
  segment: ImportedSegment,
  decode?: Decode,
): { message: string; at: number } | null {
  const { ids, tokens, trainedIds, text } = segment;
  const count = ids?.length ?? tokens?.length;
  if (ids && trainedIds) {
    const at = firstDifference(ids, trainedIds);
    if (at >= 0)
      return {
        message: `Token ${at} was sampled as ${ids[at] ?? 'nothing'} and trained as ${trainedIds[at] ?? 'nothing'}.`,
        at,
      };
  }
  if (count !== undefined) {
    for (const column of VALUE_COLUMNS) {
      const values: number = segment[column]?.length ?? count;
      if (values !== count)
        return {
          message: `${values} values of ${column} for ${count} tokens.`,
          at: Math.min(count, values),
        };
    }
  }
  if (ids && decode && decode(ids) !== text)
    return { message: 'The ids do not decode to the segment’s text.', at: 0 };
  return null;
}

/** Sampled tokens against trained ones: ids, counts, and, given a tokenizer, the text. */
export function retokenized(rollout: ImportedRollout, decode?: Decode): Finding[] {
  return rollout.segments.flatMap((segment, i) => {
    const fault = faultOf(segment, decode);
    if (!fault) return [];
    const to = Math.max(fault.at + 1, segment.ids?.length ?? segment.tokens?.length ?? 0);
    return [
      finding(rollout, 'retokenized', fault.message, [wholeSpan(rollout, i)], {
        segment: i,
        from: fault.at,
        to,
      }),
    ];
  });
}
