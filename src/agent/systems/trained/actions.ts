import { consistentAction, rankActions, type Worth } from '../../../recipes/methods/candidates.ts';
import { itemAt } from '../../../base/items.ts';
import { actionReward } from '../../../recipes/methods/reward-model.ts';
import type { Hit } from '../../../records/hits.ts';
import type { ProposedAction, Steps } from '../parts/steps.ts';
import { actionFeatures } from './action-features.ts';

/** Passages that earlier searches brought. */
const seenBefore = (s: Steps): Set<string> =>
  new Set(s.foundAll().map(({ passage }) => passage.id));

/** Hits of a candidate's query; none of an answer, or of one that is not an action. */
const broughtBy = async (s: Steps, { kind, text }: ProposedAction): Promise<Hit[]> =>
  kind === 'search' && s.canSearch() ? s.look(text) : [];

/** What an action comes to, as text; null where it fails: it cannot be read, or brings nothing. */
function outcomeOf({ kind, text }: ProposedAction, hits: readonly Hit[]): string | null {
  if (kind === 'answer') return text === '' ? null : `answer ${text.toLowerCase()}`;
  const [first] = hits;
  return kind === 'search' && first ? `finds ${first.passage.title}` : null;
}

function worthOf(
  s: Steps,
  proposed: ProposedAction,
  hits: readonly Hit[],
  seen: Set<string>,
): Worth {
  const fresh = hits.filter(({ passage }) => !seen.has(passage.id));
  const { kind, text, ids } = proposed;
  return {
    right: kind === 'search' ? null : kind === 'answer' && s.isRight(text),
    gold: s.supportingIn(fresh).length,
    fresh: fresh.length,
    tokens: ids.length,
  };
}

/** By a process reward model, which looks at what was read, not at what a candidate would bring. */
function byReward(s: Steps, candidates: readonly ProposedAction[]): number[] {
  const { weights = {} } = s.method.candidates ?? {};
  const state = {
    question: s.question,
    queries: s.queries(),
    passages: s.foundAll().map(({ passage }) => `${passage.title} . ${passage.text}`),
  };
  const rewards = candidates.map(({ kind, text, ids }) =>
    actionReward(weights, actionFeatures({ kind, text, tokens: ids.length }, state)),
  );
  return candidates
    .map((_, i) => i)
    .toSorted((a, b) => itemAt(rewards, b, 'rewards') - itemAt(rewards, a, 'rewards') || a - b);
}

/** Places of the candidates, the one that is taken first. */
async function ranked(s: Steps, candidates: readonly ProposedAction[]): Promise<number[]> {
  if (s.method.candidates?.by === 'reward-model') return byReward(s, candidates);
  const brought: Hit[][] = [];
  for (const one of candidates) brought.push(await broughtBy(s, one));
  if (s.method.candidates?.by === 'gold') {
    const seen = seenBefore(s);
    return rankActions(candidates.map((one, i) => worthOf(s, one, brought[i] ?? [], seen)));
  }
  const taken = consistentAction(candidates.map((one, i) => outcomeOf(one, brought[i] ?? []))) ?? 0;
  const others = candidates.map((_, i) => i).filter((i) => i !== taken);
  return [taken, ...others];
}

/** The loop of the protocol, each step of which is chosen among several candidates. */
export async function actions(s: Steps): Promise<void> {
  const { n = 1 } = s.method.candidates ?? {};
  await s.open();
  for (;;) {
    const candidates = await s.propose(n);
    const order = candidates.length > 1 ? await ranked(s, candidates) : [0];
    const taken = candidates[order[0] ?? 0];
    if (!taken) return s.answer();
    s.noteActions(order.flatMap((place) => candidates[place] ?? []));
    if (await taken.adopt().act()) return;
  }
}
