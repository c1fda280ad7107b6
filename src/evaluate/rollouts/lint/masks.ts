import type { ImportedRollout, ImportedSegment } from '../../../formats/rollouts/shape/imported.ts';
import type { Protocol } from '../../../formats/rollouts/protocols/protocol.ts';
import { environmentBlock } from '../../../formats/rollouts/protocols/split.ts';
import { protocolOf } from '../../../formats/rollouts/rounds.ts';
import { finding, wholeSpan, type Finding } from './finding.ts';

/** Who wrote a token against whether the loss trains it. */

/** First run of tokens whose mask is `bit`, blank tokens left out; null where there is none. */
function maskedRun(
  { lossMask, tokens }: ImportedSegment,
  bit: 0 | 1,
): { from: number; to: number } | null {
  if (!lossMask) return null;
  const hit = (i: number): boolean => lossMask[i] === bit && tokens?.[i]?.trim() !== '';
  const from = lossMask.findIndex((_, i) => hit(i));
  if (from < 0) return null;
  let to = from;
  while (to < lossMask.length && hit(to)) to++;
  return { from, to };
}

/** Text that the environment or the prompt wrote and the loss trains. */
export function environmentTrained(rollout: ImportedRollout): Finding[] {
  return rollout.segments.flatMap((segment, i) => {
    if (segment.source === 'policy') return [];
    const run = maskedRun(segment, 1);
    if (segment.mask !== 1 && !run) return [];
    const message = `The ${segment.source} wrote this ${segment.role} block, and the loss mask trains it.`;
    return [
      finding(rollout, 'environment-trained', message, [wholeSpan(rollout, i)], {
        segment: i,
        ...(run ?? { from: 0, to: (segment.ids ?? segment.tokens ?? []).length }),
      }),
    ];
  });
}

/**
 * In an imported text, a result that follows no query: nothing but its tags says who wrote it. Several calls
 * may wait at once. A result without tags has its writer from the file, as chat messages have.
 */
function uncalledResults(rollout: ImportedRollout, protocol: Protocol | null): Finding[] {
  if (!rollout.origin || !protocol) return [];
  const { segments, origin } = rollout;
  const calls = protocol.blocks.filter(({ role, acts }) => role === 'search' || acts === true);
  const isCall = ({ role, text }: ImportedSegment): boolean =>
    role === 'search' || calls.some(({ open }) => text.trimStart().startsWith(open));
  let asked = false;
  return segments.flatMap((segment, i) => {
    if (i < origin.responseAt || segment.text.trim() === '') return [];
    if (segment.source === 'policy')
      asked = isCall(segment) && (asked || segment.role === 'search');
    if (segment.source !== 'environment' || segment.role !== 'result') return [];
    const follows = segments[i - 1]?.role === 'result' && i > origin.responseAt;
    const tagged = protocol.cut !== undefined || environmentBlock(segment.text, protocol) !== null;
    if (asked || follows || !tagged) return [];
    const message =
      'A result block that no query asked for: the policy may have written its tags, and a mask by tags would hide its text.';
    return [finding(rollout, 'own-text-masked', message, [wholeSpan(rollout, i)])];
  });
}

/** Text of the policy that the loss mask leaves out. */
export function ownTextMasked(rollout: ImportedRollout): Finding[] {
  const masked = rollout.segments.flatMap((segment, i) => {
    if (segment.source !== 'policy') return [];
    const run = maskedRun(segment, 0);
    if (segment.mask !== 0 && !run) return [];
    const message = `The policy wrote this ${segment.role} block, and the loss mask leaves it out.`;
    return [
      finding(rollout, 'own-text-masked', message, [wholeSpan(rollout, i)], {
        segment: i,
        ...(run ?? { from: 0, to: (segment.ids ?? segment.tokens ?? []).length }),
      }),
    ];
  });
  return [...masked, ...uncalledResults(rollout, protocolOf(rollout))];
}
