import type { RolloutFacts } from './lint/facts.ts';
import type { Finding, LintCode } from './lint/finding.ts';
import type { Statistics } from './statistics.ts';

/** How rollouts end, and what was found on the way: labels with the rollouts that carry them. */

/**
 * Exactly one per rollout with gold answers, "right" by the judge where the rollout has a verdict, else by EM
 * (SQuAD's normaliser); `basisOf` says by which:
 * - `right-with-evidence`, `right-without-evidence`: whether a gold answer was retrieved; without evidence too is a
 *   yes or no where nothing was read at all;
 * - `right-closed`, `wrong-closed`: other answers of yes or no, or worked out, of which words do not tell whether
 *   they were retrieved;
 * - `not-scored`: the answer cannot be read and no judge has a verdict, so that nobody can say whether it is
 *   right;
 * - `error`: an error of the system ended it, so that it says nothing of the policy;
 * - `outside-tags`: there is prose in place of an answer, outside the tags of the protocol;
 * - `no-answer`: none was given;
 * - `no-search`: wrong, nothing was searched, and nothing shown unasked;
 * - `not-retrieved`: wrong, and no result held a gold answer;
 * - `retrieved-not-used`: wrong, though one did.
 */
export type Outcome =
  | 'right-with-evidence'
  | 'right-without-evidence'
  | 'right-closed'
  | 'wrong-closed'
  | 'not-scored'
  | 'error'
  | 'outside-tags'
  | 'no-answer'
  | 'no-search'
  | 'not-retrieved'
  | 'retrieved-not-used';

/** The scorer of an outcome. */
export type OutcomeBasis = 'judge' | 'em';

export const BASIS_NAMES: Record<OutcomeBasis, string> = { judge: 'by the judge', em: 'by EM' };
export const SHORT_BASIS_NAMES: Record<OutcomeBasis, string> = { judge: 'judge', em: 'EM' };

export const OUTCOME_NAMES: Record<Outcome, string> = {
  'right-with-evidence': 'right with retrieval',
  'right-without-evidence': 'right without retrieval',
  'right-closed': 'right, computed answer',
  'wrong-closed': 'wrong, computed answer',
  'not-scored': 'not scored',
  error: 'ended in an error',
  'outside-tags': 'answered outside the tags',
  'no-answer': 'no answer',
  'no-search': 'wrong, never searched',
  'not-retrieved': 'wrong, not retrieved',
  'retrieved-not-used': 'retrieved but wrong',
};

/** The scorer of an outcome; null for one that is neither right nor wrong. */
export const basisOf = (
  outcome: Outcome | null,
  { judge }: { judge: unknown },
): OutcomeBasis | null => {
  if (outcome === null || outcome === 'not-scored' || outcome === 'error') return null;
  return judge === null || judge === undefined ? 'em' : 'judge';
};

/**
 * Scorers of the outcomes of some rollouts, as text; null where none is scored.
 * Statistics of an earlier version lack the counts; all their verdicts are beside scores.
 */
export function basisWords(
  statistics: Pick<Statistics, 'scored' | 'judge' | 'outcomesBy'>,
): string | null {
  const verdicts = statistics.judge?.verdicts ?? 0;
  const { judge, em } = statistics.outcomesBy ?? {
    judge: verdicts,
    em: statistics.scored - verdicts,
  };
  if (judge === 0) return em === 0 ? null : 'by EM';
  return em === 0 ? 'by the judge' : `by the judge in ${judge}, by EM in ${em}`;
}

export function outcomeOf(facts: RolloutFacts): Outcome | null {
  const { golds, scores, judge, closed, retrieved, evidence } = facts;
  const { answered, searches, shown, unread } = facts;
  if (!golds) return null;
  if (facts.error !== undefined) return 'error';
  const right = judge ?? (scores && scores.em === 1);
  if (right === null) return unread ? 'not-scored' : null;
  if (right) {
    if (!evidence) return 'right-without-evidence';
    return closed ? 'right-closed' : 'right-with-evidence';
  }
  if (!answered && !unread) return facts.outside ? 'outside-tags' : 'no-answer';
  if (closed) return 'wrong-closed';
  if (retrieved) return 'retrieved-not-used';
  return searches === 0 && !shown ? 'no-search' : 'not-retrieved';
}

export interface Taxonomy {
  /** Rollout ids by outcome; every rollout with gold answers is in one list. */
  outcomes: Partial<Record<Outcome, string[]>>;
  /** Rollout ids by finding, each rollout once; a rollout may be in several. */
  findings: Partial<Record<LintCode, string[]>>;
}

function addTo<K extends string>(lists: Partial<Record<K, string[]>>, key: K, id: string): void {
  const list = (lists[key] ??= []);
  if (list.at(-1) !== id && !list.includes(id)) list.push(id);
}

/** Labels of a run, in the order in which they first occur. */
export function taxonomyOf(facts: readonly RolloutFacts[], findings: readonly Finding[]): Taxonomy {
  const taxonomy: Taxonomy = { outcomes: {}, findings: {} };
  for (const one of facts) {
    const outcome = outcomeOf(one);
    if (outcome) (taxonomy.outcomes[outcome] ??= []).push(one.id);
  }
  for (const { code, rollout } of findings) addTo(taxonomy.findings, code, rollout);
  return taxonomy;
}
