import type { LoopHooks } from '../../agent/hooks.ts';
import type { ProposedAction, Steps } from '../../agent/steps.ts';
import { actionFeatures } from '../../agent/answers/action-features.ts';
import { itemAt } from '../../base/items.ts';
import { actionReward } from '../../recipes/parts/reward-model.ts';
import type { Hit } from '../../records/hits.ts';
import type { Params } from './system.ts';

/**
 * The place of the action that is taken: of those that did not fail, the first with the outcome that most have; where no
 * two have the same, the first of them. Null where all failed.
 * @param outcomes of each action; null: it failed
 */
export function consistentAction(outcomes: readonly (string | null)[]): number | null {
  const counts = new Map<string, number>();
  for (const outcome of outcomes)
    if (outcome !== null) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  const most = Math.max(0, ...counts.values());
  const at = outcomes.findIndex((outcome) => outcome !== null && counts.get(outcome) === most);
  return at < 0 ? null : at;
}

/** What an action is worth to the ranking by the gold chain. */
interface Worth {
  /** Of an answer: whether it is right; null of a search. */
  right: boolean | null;
  /** Supporting passages that it brings first. */
  gold: number;
  /** Passages that it brings first. */
  fresh: number;
  /** Tokens of it. */
  tokens: number;
}

/**
 * Places of the actions, best first: a right answer, then searches that bring the most new supporting passages, then
 * those that bring the most new ones, then shorter ones; wrong answers after all. Ties are ours.
 */
export function rankActions(worths: readonly Worth[]): number[] {
  const tier = ({ right }: Worth): number => (right === null ? 1 : right ? 0 : 2);
  return worths
    .map((worth, place) => ({ worth, place }))
    .toSorted(
      (a, b) =>
        tier(a.worth) - tier(b.worth) ||
        b.worth.gold - a.worth.gold ||
        b.worth.fresh - a.worth.fresh ||
        a.worth.tokens - b.worth.tokens ||
        a.place - b.place,
    )
    .map(({ place }) => place);
}

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
function byReward(
  s: Steps,
  candidates: readonly ProposedAction[],
  { weights = {} }: Params,
): number[] {
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
async function ranked(
  s: Steps,
  candidates: readonly ProposedAction[],
  params: Params,
): Promise<number[]> {
  if (params.by === 'reward-model') return byReward(s, candidates, params);
  const brought: Hit[][] = [];
  for (const one of candidates) brought.push(await broughtBy(s, one));
  if (params.by === 'gold') {
    const seen = seenBefore(s);
    return rankActions(candidates.map((one, i) => worthOf(s, one, brought[i] ?? [], seen)));
  }
  const taken = consistentAction(candidates.map((one, i) => outcomeOf(one, brought[i] ?? []))) ?? 0;
  const others = candidates.map((_, i) => i).filter((i) => i !== taken);
  return [taken, ...others];
}

/** The loop of the protocol, each step of which is chosen among several candidates. */
async function actions(s: Steps, params: Params): Promise<void> {
  await s.open();
  for (;;) {
    const candidates = await s.propose(params.n);
    const order = candidates.length > 1 ? await ranked(s, candidates, params) : [0];
    const taken = candidates[order[0] ?? 0];
    if (!taken) return s.answer();
    s.noteActions(order.flatMap((place) => candidates[place] ?? []));
    if (await taken.adopt().act()) return;
  }
}

export const hooks = (params: Params): LoopHooks => ({ program: (s) => actions(s, params) });
