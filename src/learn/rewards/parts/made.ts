import type { AgentEvent } from '../../../records/events.ts';
import type { Passage } from '../../../records/records.ts';
import type { Rollout } from '../../../records/rollout.ts';
import { planParts, planValid, readPlan } from '../../../recipes/parts/plan.ts';
import type { Span } from '../../../agent/answers/answer-text.ts';

/** Lines of a plan that are looked at. */
const LINES = 16;

/** What the policy made beside queries and answer: blocks, choices of passages, thoughts. */

export interface WrittenBlock {
  kind: Extract<AgentEvent, { kind: 'block' }>['block'];
  text: string;
  /** What the environment answered; absent of blocks that it does not answer. */
  reply?: string;
  /** Searches that were answered before it. */
  after: number;
  evidence: Span[];
}

/** One result, and the numbers of its passages, from 1, that the policy chose after it. */
export interface Selection {
  passages: readonly { id: string; title: string; text: string }[];
  /** Null where it chose none: no block was there, or none that can be read. */
  chosen: readonly number[] | null;
  evidence: Span[];
}

const spanOf = ({ segments }: Rollout, at: number | undefined): Span[] => {
  const segment = at === undefined ? undefined : segments[at];
  return at === undefined || segment?.source !== 'policy'
    ? []
    : [{ segment: at, start: 0, end: segment.text.length }];
};

/** "1 , 3" or "[1, 3]" as numbers; "none" and "[]" are an empty list; null for anything else. */
function readChoice(text: string): number[] | null {
  const inner = text.trim().replace(/^\[(.*)\]$/su, (_, list: string) => list.trim() || 'none');
  if (inner === 'none') return [];
  if (!/^\d+(?:\s*,\s*\d+)*$/u.test(inner)) return null;
  return inner.split(',').map(Number);
}

/** Blocks in their order. */
export function blocksIn(rollout: Rollout): WrittenBlock[] {
  let after = 0;
  return rollout.events.flatMap((event) => {
    if (event.kind === 'retrieve') after++;
    if (event.kind !== 'block') return [];
    const { block: kind, text, reply, segment } = event;
    const own = { kind, text, after, evidence: spanOf(rollout, segment) };
    return [reply === undefined ? own : { ...own, reply }];
  });
}

/**
 * Whether it wrote a plan that can be worked off: a plan block with a part in it, or numbered lines whose references point
 * backward (Collab-RAG's format).
 */
export function plannedIn({ events, question }: Rollout): boolean {
  const plan = events.find(
    (event) =>
      (event.kind === 'block' && event.block === 'plan') ||
      (event.kind === 'aside' && event.of === 'chain'),
  );
  if (plan?.kind === 'block') return planParts(plan.text, LINES, question.text).length > 0;
  return plan?.kind === 'aside' && planValid(readPlan(plan.text, LINES));
}

/** Results with the last choice after each. */
export function selectionsOf(rollout: Rollout): Selection[] {
  const out: Selection[] = [];
  for (const event of rollout.events) {
    if (event.kind === 'retrieve')
      out.push({
        passages: event.hits.map(({ passage: { id, title, text } }) => ({ id, title, text })),
        chosen: null,
        evidence: [],
      });
    const last = out.at(-1);
    const chooses =
      event.kind === 'block' && (event.block === 'relevance' || event.block === 'important');
    if (!chooses || !last) continue;
    last.chosen = readChoice(event.text);
    last.evidence = spanOf(rollout, event.segment);
  }
  return out;
}

/** The policy's thoughts, in order. */
export const thoughtsOf = (rollout: Rollout): { text: string; evidence: Span[] }[] =>
  rollout.segments.flatMap(({ source, role, text }, at) =>
    source === 'policy' && role === 'think'
      ? [{ text: text.replaceAll(/<\/?think>/gu, '').trim(), evidence: spanOf(rollout, at) }]
      : [],
  );

/** The last block of a kind, as a passage; none without one, or without a result before it. @param written what is read of it */
export function blockRead(
  rollout: Rollout,
  of: 'evidence' | 'memory',
  written: (last: { text: string }, all: readonly WrittenBlock[]) => string = ({ text }) => text,
): Passage[] {
  const blocks = blocksIn(rollout);
  const last = blocks.findLast(({ kind }) => kind === of);
  const text = last ? written(last, blocks).trim() : '';
  if (!last || last.after === 0 || text === '' || text === 'none') return [];
  return [{ id: of, title: of, text, sentences: [text] }];
}
