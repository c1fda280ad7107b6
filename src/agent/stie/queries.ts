import { words } from '../answers.ts';
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

/** Name words of the query that none of the last three queries holds. */
function newNames(query: string, context: QueryContext): string[] {
  const recent = new Set(context.history.slice(-3).flatMap(words));
  return words(query).filter((word) => context.nameWords.has(word) && !recent.has(word));
}

function exemption(query: string, context: QueryContext): string | null {
  const fresh = newNames(query, context);
  if (fresh.length > 0) return `names "${fresh.join(' ')}", which the last queries did not`;
  return context.retryAfterMiss ? 'the last search missed, and another source remains' : null;
}

/**
 * Judges one query. `corrected` exempts a query that names something new, and a repeat after a miss;
 * consecutive hops rightly share their relation words.
 */
export function judgeQuery(query: string, context: QueryContext, rules: QueryRules): Verdict {
  const history = context.history.map(compared);
  const validity = checkValidity(compared(query), history, rules.thresholds, rules.tokens);
  const exempt = !validity.valid && rules.mode === 'corrected' ? exemption(query, context) : null;
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
