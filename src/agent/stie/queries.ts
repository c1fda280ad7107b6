import { words } from '../answers.ts';
import { contentWords } from '../evidence.ts';
import type { Verdict } from './answers.ts';
import type { TokenForm } from './overlap.ts';
import { checkValidity, describeValidity, type Compared } from './validity.ts';

/** STIE over search queries: the same rule (9), so that no query repeats the last three. */

export interface QueryRules {
  mode: 'paper' | 'corrected';
  tokens: TokenForm;
  thresholds: readonly [number, number, number];
}

/** What is known when a query is judged. */
export interface QueryContext {
  /** Queries that were searched, oldest first. */
  history: readonly string[];
  /** Words of the names in question and passages, lower case. */
  nameWords: ReadonlySet<string>;
  /** The last search found nothing that its query names, and another source remains to be asked. */
  retryAfterMiss: boolean;
}

const compared = (text: string): Compared => ({ text, tokens: words(text) });

/**
 * Whether a query asks something else than an earlier one that it resembles: it names something that
 * the earlier one does not name, or at least half of its other content words are new.
 */
function asksElse(query: string, earlier: string, nameWords: ReadonlySet<string>): boolean {
  const known = new Set(words(earlier));
  const content = contentWords(query);
  const names = content.filter((word) => nameWords.has(word));
  if (names.some((word) => !known.has(word))) return true;
  const rest = content.filter((word) => !nameWords.has(word));
  const fresh = rest.filter((word) => !known.has(word));
  return rest.length > 0 && fresh.length >= rest.length / 2;
}

function exemption(query: string, failed: readonly string[], context: QueryContext): string | null {
  if (failed.every((earlier) => asksElse(query, earlier, context.nameWords))) {
    return 'shares words with an earlier query, but names or asks something else';
  }
  return context.retryAfterMiss ? 'the last search missed, and another source remains' : null;
}

/**
 * Judges one query. Consecutive hops rightly share words ("director of X", "birth city of X",
 * "director of Y"), so `corrected` exempts a query that asks something else than each one it fails
 * against, and a repeat after a miss.
 */
export function judgeQuery(query: string, context: QueryContext, rules: QueryRules): Verdict {
  const history = context.history.map(compared);
  const validity = checkValidity(compared(query), history, rules.thresholds, rules.tokens);
  const failed = validity.checks.filter((check) => !check.passed).map((check) => check.against);
  const exempt =
    failed.length > 0 && rules.mode === 'corrected' ? exemption(query, failed, context) : null;
  const valid = validity.valid || exempt !== null;
  return {
    mode: rules.mode,
    text: query,
    ...validity,
    valid,
    action: valid ? 'kept' : 'refused',
    reason: exempt ?? describeValidity(validity, 'query'),
    counts: {},
    blocked: [],
  };
}
