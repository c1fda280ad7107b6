import type { AgentDeps, GroupRequest } from '../../agent/request.ts';
import { runFork } from '../../agent/run.ts';
import { deriveSeed } from '../../base/random.ts';
import { fromQuestion } from '../../learn/branching/grow.ts';
import type { Grouping } from '../../learn/branching/grouping.ts';
import type { Sequence } from '../../learn/mask.ts';
import type { Question } from '../../records/records.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { Guide } from './define.ts';

/** Events in which the policy does something. */
const ACTS: ReadonlySet<string> = new Set(['think', 'block', 'search', 'answer', 'stop']);

/**
 * The queries of the gold chain, in the words in which the built-in policy thinks of its next one; where there are none the
 * supporting pages, and null where there are none of these either.
 */
export function hintOf({
  chain = [],
  supporting,
}: Pick<Question, 'chain' | 'supporting'>): string | null {
  if (chain.length > 0) return chain.map(({ query }) => `next ${query} .`).join(' ');
  return supporting.length === 0 ? null : `search for ${supporting.join(' , then for ')} .`;
}

/** Where a rollout's policy first acts, behind what the environment looked up before. */
function firstAct({ events }: Rollout): number {
  const from = events.findLastIndex(({ kind }) => kind === 'background') + 1;
  const found = events.slice(from).findIndex(({ kind }) => ACTS.has(kind));
  return found < 0 ? events.length : from + found;
}

async function guidedRollouts(
  deps: AgentDeps,
  request: GroupRequest,
  of: Rollout,
  { hint, count }: { hint: string; count: number },
): Promise<Rollout[]> {
  const event = firstAct(of);
  const made = Array.from({ length: count }, async (_, i) => {
    const guided = await runFork(
      deps,
      { of, event, hint },
      {
        question: request.question,
        rolloutId: `${request.groupId}-${request.size + i}`,
        seed: deriveSeed(request.seed, 'guided', i),
        signal: request.signal,
      },
    );
    request.onRollout?.(guided);
    return guided;
  });
  return Promise.all(made);
}

/** Token at which a guided rollout reads its hint; null for any other rollout. */
function hintAt({ forks }: Rollout): number | null {
  const point = forks?.at(-1);
  return point?.changes.hint === undefined ? null : point.tokens;
}

/**
 * The sequence as if nothing had been said before the policy's first word. Its ratio stays that to the policy that read the
 * hint, so that the loss is of the context without it (arXiv 2506.13923).
 */
export function withoutHint(sequence: Sequence): Sequence {
  const from = hintAt(sequence.rollout);
  if (from === null) return sequence;
  const to = sequence.mask.indexOf(1, from);
  if (to < 0) return sequence;
  const kept = (_: number, i: number): boolean => i < from || i >= to;
  return {
    ...sequence,
    ids: sequence.ids.filter(kept),
    mask: sequence.mask.filter(kept),
    otherContext: true,
    ...(sequence.starts && {
      starts: sequence.starts.map((start) => (start < to ? start : start - (to - from))),
    }),
  };
}

export const grouping = ({ guided }: Guide): Grouping => ({
  async grow(deps, request, { begun }) {
    const all = await fromQuestion(deps, request, begun, request.size);
    const made = all.slice(begun.length);
    const [first] = all;
    const hint = hintOf(request.question);
    if (!first || hint === null || all.some(({ metrics }) => metrics?.em === 1)) return made;
    return [...made, ...(await guidedRollouts(deps, request, first, { hint, count: guided }))];
  },
  sequences: ({ groups, sequencesOf }) => Promise.resolve(sequencesOf(groups).map(withoutHint)),
});
