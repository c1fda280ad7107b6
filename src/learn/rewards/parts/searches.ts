import type { SearchTarget } from '../../../records/hits.ts';
import { saysUseful } from '../../../records/protocol.ts';
import type { Rollout } from '../../../records/rollout.ts';
import type { Span } from '../../../agent/answers/answer-text.ts';

/** One search of a rollout, with the result: what rewards of single searches look at. */
export interface SearchFact {
  query: string;
  /**
   * Natural-log probabilities of the tokens between the tags, as they were sampled; null where the
   * record has none.
   */
  logprobs: readonly number[] | null;
  /** What was shown for it; empty where it was refused, failed or found nothing. */
  passages: readonly { title: string; text: string; sound: boolean }[];
  /** How the policy judged the result; null where it did not. */
  judged: { useful: boolean; evidence: Span[] } | null;
  /** Which source was asked; null where the record does not say. */
  asked: SearchTarget | null;
  /** Where the query stands. */
  evidence: Span[];
}

/** The searches of one of our own records, in order. */
export function searchesOf(rollout: Rollout): SearchFact[] {
  const searches: SearchFact[] = [];
  for (const event of rollout.events) {
    if (event.kind === 'search') {
      const segment = event.segment === undefined ? undefined : rollout.segments[event.segment];
      const own = segment?.source === 'policy' && event.segment !== undefined;
      searches.push({
        query: event.query,
        logprobs: segment?.logprobs?.slice(1, -1) ?? null,
        passages: [],
        judged: null,
        asked: null,
        evidence: own ? [{ segment: event.segment ?? 0, start: 0, end: segment.text.length }] : [],
      });
    }
    const last = searches.at(-1);
    if (event.kind === 'block' && event.block === 'judge' && last && !last.judged) {
      const { segment: at } = event;
      const end = at === undefined ? 0 : (rollout.segments[at]?.text.length ?? 0);
      last.judged = {
        useful: saysUseful(event.text),
        evidence: at === undefined ? [] : [{ segment: at, start: 0, end }],
      };
    }
    if (event.kind === 'route' && event.of === undefined && last) last.asked = event.choice;
    if (event.kind === 'retrieve' && last)
      last.passages = event.hits.map(({ passage: { title, text, noise } }) => ({
        title,
        text,
        sound: noise === undefined,
      }));
  }
  return searches;
}

/** Titles among the wanted ones that a search brought, passages that cannot support left out. */
const supportingOf = ({ passages }: SearchFact, wanted: ReadonlySet<string>): Set<string> =>
  new Set(passages.filter(({ title, sound }) => sound && wanted.has(title)).map((p) => p.title));

/** For each search the share of the supporting titles that it brought, whatever was known before. */
export function goldShares(
  searches: readonly SearchFact[],
  supporting: readonly string[],
): number[] {
  const wanted = new Set(supporting);
  return searches.map((one) =>
    wanted.size === 0 ? 0 : supportingOf(one, wanted).size / wanted.size,
  );
}

/** For each search the share of the supporting titles that it brought first. */
export function newGoldShares(
  searches: readonly SearchFact[],
  supporting: readonly string[],
): number[] {
  const wanted = new Set(supporting);
  const known = new Set<string>();
  return searches.map((one) => {
    const fresh = [...supportingOf(one, wanted)].filter((title) => !known.has(title));
    for (const title of fresh) known.add(title);
    return wanted.size === 0 ? 0 : fresh.length / wanted.size;
  });
}

/** For each search the share of its passages that an earlier one, or itself, had shown already. */
export function seenShares(searches: readonly SearchFact[]): number[] {
  const seen = new Set<string>();
  return searches.map(({ passages }) => {
    let again = 0;
    for (const { title, text } of passages) {
      const key = `${title}\n${text}`;
      if (seen.has(key)) again++;
      seen.add(key);
    }
    return passages.length === 0 ? 0 : again / passages.length;
  });
}
