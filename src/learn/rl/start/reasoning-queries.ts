import { FALLBACK_HINT } from '../../../agent/summarizing.ts';
import { blockIds } from '../../../agent/transcript/blocks.ts';
import { readTags, type Tags } from '../../../agent/transcript/tags.ts';
import type { PolicyTokenizer } from '../../../policy/policy.ts';
import { inBlock } from '../../../records/protocol.ts';
import type { Question } from '../../../records/records.ts';
import type { Rollout, Segment } from '../../../records/rollout.ts';
import { classifyQuery } from '../../../retrieval/summarize/classify.ts';
import { FALLBACK_SENTENCE } from '../../../retrieval/summarize/summarizer.ts';
import type { StartKind } from './kind.ts';

/**
 * A policy that lets the search work out what it should itself: having read both facts of a comparison or a
 * computation, it searches for "the later of both". Such a query gets the fallback sentence of UR² (arXiv 2508.06165,
 * C.4), whose penalty has nothing to teach a policy that was pre-trained to ask for facts alone. The search, its
 * fallback and the hint are put after the last thought of the policy's own rollouts, which then end as they ended. A small policy learns it late: after some 50 updates.
 */

/** Words of a question that name what is to be worked out. */
const SCALES =
  /\b(?:earlier|later|longer|shorter|older|younger|larger|smaller|higher|lower|more)\b/u;
const SUMS = /\b(?:together|altogether|in all|sum)\b/u;

/** The query that leaves a question's last step to the search. */
export function reasoningQuery({ text }: Pick<Question, 'text'>): string {
  const asked = text.toLowerCase();
  const [scale = SUMS.test(asked) ? 'sum' : 'difference'] = SCALES.exec(asked) ?? [];
  return `the ${scale} of both`;
}

const asksToReason = (query: string): boolean => classifyQuery(query).kind === 'reasoning';

/**
 * The rollout with such a query after its last thought, which it then thinks again.
 * @returns null where it did not search, think and then answer
 */
export function asReasoningQuery(
  { segments, ...rollout }: Rollout,
  tokenizer: PolicyTokenizer,
  tags: Tags,
): Rollout | null {
  const at = segments.findIndex(({ role }) => role === 'answer');
  const thought = segments[at - 1];
  if (thought?.role !== 'think' || thought.source !== 'policy') return null;
  if (!segments.slice(0, at).some(({ role }) => role === 'search')) return null;
  const written = (role: 'search' | 'result' | 'hint', text: string): Segment => ({
    source: role === 'search' ? 'policy' : 'environment',
    role,
    text: '',
    ids: blockIds(tokenizer, tags, role, inBlock(text)),
    mask: role === 'search' ? 1 : 0,
  });
  const inserted = [
    written('search', reasoningQuery(rollout.question)),
    written('result', FALLBACK_SENTENCE),
    written('hint', FALLBACK_HINT),
  ];
  return {
    ...rollout,
    // What it does before, it does already.
    segments: [
      ...segments.slice(0, at).map((own): Segment => ({ ...own, mask: 0 })),
      ...inserted,
      ...segments.slice(at - 1),
    ],
  };
}

/** Whether a query of the rollout asks for reasoning. */
export const leavesReasoning = ({ events }: Rollout): boolean =>
  events.some((event) => event.kind === 'search' && asksToReason(event.query));

export const REASONING_QUERIES: StartKind = {
  suits: ({ text, options, mayRetrieve }) =>
    mayRetrieve !== false && !options && asksToReason(text),
  none: 'no training question compares or computes',
  onlyCorrect: true,
  most: 96,
  atOnce: 4,
  few: 3 / 4,
  least: 1 / 4,
  measured: {},
  async trajectories({ agent, questions, sample }) {
    const { tokenizer } = agent.policy;
    const tags = readTags(tokenizer);
    const made = await sample(questions, 'own');
    return made.flatMap((rollout) => asReasoningQuery(rollout, tokenizer, tags) ?? []);
  },
  keeps: (rollout) => !leavesReasoning(rollout),
  said: ({ updates, from, kept, before, of }) =>
    `Handicapped start: taught to leave reasoning to the search (${updates} updates on ${from} trajectories). ` +
    `${of - kept} of ${of} rollouts do so now (${of - before} before).`,
};
