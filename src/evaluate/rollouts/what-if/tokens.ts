import type {
  ImportedRollout,
  ImportedSegment,
  TokenColumns,
} from '../../../formats/rollouts/shape/imported.ts';

import { itemAt } from '../../../base/items.ts';
import { sum } from '../../../base/statistics.ts';

/** The tokens of an imported rollout as one flat list, those that are in the file. */

/** Which tokens the loss trains. */
export type MaskChoice =
  /** As the file says; where it says nothing, the policy's own. */
  | 'stored'
  /** What the policy wrote. */
  | 'policy'
  /** Everything but the prompt: what training looks like without a mask. */
  | 'response'
  /** Everything but results and background: hints are trained as if the policy had written them. */
  | 'all-but-documents';

export interface FlatTokens {
  /** Segment, and place in it, of each token. */
  segment: Int32Array;
  index: Int32Array;
  /** 1 where the loss trains the token. */
  mask: Uint8Array;
  /** NaN where the file has none. */
  logprobs: Float64Array;
  refLogprobs: Float64Array;
  /** Advantages of single tokens that the file carries. */
  advantages: Float64Array;
}

const segmentTokens = ({ ids, tokens }: TokenColumns): number | undefined =>
  ids?.length ?? tokens?.length;

function isTrained(segment: ImportedSegment, index: number, choice: MaskChoice): boolean {
  const { source, role } = segment;
  switch (choice) {
    case 'stored': {
      const own = segment.lossMask?.[index] ?? segment.mask;
      return own === undefined ? source === 'policy' : own === 1;
    }
    case 'policy':
      return source === 'policy';
    case 'response':
      return source !== 'prompt';
    case 'all-but-documents':
      return source !== 'prompt' && role !== 'result' && role !== 'background';
  }
}

/** Whether the file itself says which tokens were trained. */
export const hasStoredMask = ({ segments }: Pick<ImportedRollout, 'segments'>): boolean =>
  segments.some(
    ({ source, mask, lossMask }) =>
      source !== 'prompt' && (mask !== undefined || lossMask !== undefined),
  );

/**
 * The tokens of a rollout; null where a segment beside the prompt has none, because lengths would then
 * be wrong. A prompt without tokens is left out: it is never trained.
 */
export function flatTokens(
  { segments }: Pick<ImportedRollout, 'segments'>,
  choice: MaskChoice,
): FlatTokens | null {
  const unknown = segments.some(
    (segment) => segment.source !== 'prompt' && segmentTokens(segment) === undefined,
  );
  if (unknown) return null;
  const counts = segments.map((segment) => segmentTokens(segment) ?? 0);
  const total = sum(counts);
  if (total === 0) return null;
  const flat: FlatTokens = {
    segment: new Int32Array(total),
    index: new Int32Array(total),
    mask: new Uint8Array(total),
    logprobs: new Float64Array(total),
    refLogprobs: new Float64Array(total),
    advantages: new Float64Array(total),
  };
  let at = 0;
  const begins = segments.findIndex(({ text }) => text !== '');
  segments.forEach((segment, s) => {
    for (let i = 0; i < itemAt(counts, s, 'counts'); i++, at++) {
      flat.segment[at] = s;
      flat.index[at] = i;
      // Nothing precedes the first token of a context, so that it cannot be predicted.
      const predicted = at > 0 || s > begins;
      flat.mask[at] = Number(predicted && isTrained(segment, i, choice));
      flat.logprobs[at] = segment.logprobs?.[i] ?? NaN;
      flat.refLogprobs[at] = segment.refLogprobs?.[i] ?? NaN;
      flat.advantages[at] = segment.advantages?.[i] ?? NaN;
    }
  });
  return flat;
}

export const trainedCount = (flat: FlatTokens): number => sum(flat.mask);
