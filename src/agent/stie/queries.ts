import type { SearchTarget, SourceName } from '../../records/hits.ts';
import { words } from '../answers/answers.ts';
import { contentWords, namesIn } from '../answers/evidence.ts';
import type { Verdict } from './answers.ts';
import type { TokenForm } from './overlap.ts';
import { checkValidity, describeValidity, type Compared } from './validity.ts';

/** STIE over search queries: the same rule (9), so that no query repeats the last three. */

export interface QueryRules {
  mode: 'paper' | 'corrected';
  tokens: TokenForm;
  thresholds: readonly [number, number, number];
}

/** A query that a source answered. */
interface AskedQuery {
  query: string;
  source: SearchTarget;
}

/** What is known when a query is judged. */
export interface QueryContext {
  /** Oldest first. */
  history: readonly AskedQuery[];
  /** Words of the names in question and passages, lower case. */
  nameWords: ReadonlySet<string>;
  /** Single sources that the search may go to; none where it goes to a fixed one or to both. */
  reachable: readonly SourceName[];
}

export interface QueryJudgement {
  verdict: Verdict;
  /** The only source that a repeated query may be asked of; null where any will do. */
  only: SourceName | null;
}

const compared = (text: string): Compared => ({ text, tokens: words(text) });

/**
 * Whether a query asks something else than an earlier one that it resembles: it names something that
 * the earlier one does not name, at least half of its other content words are new, or it leaves some of the
 * earlier one's out. (9) divides by the words of the later one, so that it takes a wider query for a mere
 * repetition, though it finds other passages.
 */
function asksElse(query: string, earlier: string, nameWords: ReadonlySet<string>): boolean {
  const known = new Set(words(earlier));
  const content = contentWords(query);
  // A name that no passage holds is a name all the same.
  const own = new Set(namesIn(query).flatMap(words));
  const isName = (word: string): boolean => nameWords.has(word) || own.has(word);
  if (content.some((word) => isName(word) && !known.has(word))) return true;
  if (content.length > 0 && contentWords(earlier).some((word) => !content.includes(word)))
    return true;
  const rest = content.filter((word) => !isName(word));
  const fresh = rest.filter((word) => !known.has(word));
  return rest.length > 0 && fresh.length >= rest.length / 2;
}

/** Why a query that fails (9) against `failed` may be asked all the same; null where it may not. */
function exemption(
  query: string,
  failed: readonly AskedQuery[],
  { nameWords, reachable }: QueryContext,
): { reason: string; only: SourceName | null } | null {
  const repeats = failed.filter((earlier) => !asksElse(query, earlier.query, nameWords));
  if (repeats.length === 0) {
    const reason =
      'shares words with an earlier query, but asks for something else, or more widely';
    return { reason, only: null };
  }
  const asked = new Set(repeats.map((earlier) => earlier.source));
  const only = asked.has('both') ? undefined : reachable.find((source) => !asked.has(source));
  return only ? { reason: `repeats a query, but ${only} was not asked it yet`, only } : null;
}

/**
 * Judges one query. Consecutive hops rightly share words ("director of X", "birth city of X",
 * "director of Y"), so `corrected` exempts a query that asks something else than each one it fails
 * against, and a repeat that goes to a source which has not answered it: what it brings is new.
 */
export function judgeQuery(
  query: string,
  context: QueryContext,
  rules: QueryRules,
): QueryJudgement {
  const history = context.history.map((asked) => compared(asked.query));
  const validity = checkValidity(compared(query), history, rules.thresholds, rules.tokens);
  const failed = validity.checks
    .filter((check) => !check.passed)
    .flatMap((check) => context.history.at(-check.lag) ?? []);
  const exempt =
    failed.length > 0 && rules.mode === 'corrected' ? exemption(query, failed, context) : null;
  const valid = validity.valid || exempt !== null;
  const verdict: Verdict = {
    mode: rules.mode,
    text: query,
    ...validity,
    valid,
    action: valid ? 'kept' : 'refused',
    reason: exempt?.reason ?? describeValidity(validity, 'query'),
    counts: {},
    blocked: [],
  };
  return { verdict, only: exempt?.only ?? null };
}
