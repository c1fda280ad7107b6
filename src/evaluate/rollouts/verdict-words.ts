import type { ImportedRollout } from '../../formats/rollouts/shape/imported.ts';
import type { AgentEvent, VerdictEvent } from '../../records/events.ts';
import { countSearches } from '../../records/searches.ts';
import { hopMap, type HopMap } from './hops.ts';
import { readFactsOf } from './lint/facts.ts';
import { whyOf } from './why.ts';

/** What a rollout came to, in sentences for someone who has never seen one: how it searched, what it found, how it ended. */

const SOURCES = { local: 'the local corpus', web: 'the web', both: 'both sources' } as const;

/** "2 searches, of the local corpus and the web"; refused queries searched nothing. */
function searchWords(events: readonly AgentEvent[]): string {
  const count = countSearches(events);
  if (count === 0) return 'without a search';
  const asked = events.flatMap((event) =>
    event.kind === 'retrieve' ? [SOURCES[event.source]] : [],
  );
  if (asked.length === 0)
    return `after ${count === 1 ? 'a search' : `${count} searches`} that failed`;
  return `after ${count} ${count === 1 ? 'search' : 'searches'} of ${[...new Set(asked)].join(' and ')}`;
}

/** What STIE did against the policy's will; null where it let everything pass. */
function refusalWords(events: readonly AgentEvent[]): string | null {
  const verdicts = events.filter((event): event is VerdictEvent => event.kind === 'verdict');
  const count = (action: VerdictEvent['action']) =>
    verdicts.filter((verdict) => verdict.action === action).length;
  const parts = [
    [count('refused'), 'query', 'queries', 'refused'],
    [count('replaced'), 'candidate answer', 'candidate answers', 'replaced'],
    [count('blocked'), 'candidate answer', 'candidate answers', 'blocked'],
  ] as const;
  const said = parts.flatMap(([n, one, many, done]) =>
    n === 0 ? [] : [`${done} ${n} ${n === 1 ? one : many}`],
  );
  return said.length === 0 ? null : `On the way STIE ${said.join(' and ')} as no progress.`;
}

/** Whether the passages that state the answer arrived; null where nobody can say. */
function evidenceWords(map: HopMap): string | null {
  if (map.kind === 'none' || map.hops.length === 0) return null;
  const missed = map.hops.filter(({ look }) => look === null).length;
  if (missed === 0)
    return map.hops.length === 1
      ? 'the passage that states it was found'
      : `${map.hops.length === 2 ? 'both' : `all ${map.hops.length}`} passages that state it were found`;
  return `${missed} of the ${map.hops.length} passages that state it never arrived, so part of it is memory or a guess`;
}

/** @returns null where there is no gold answer, or none that could be read */
export function verdictWords(rollout: ImportedRollout): string | null {
  const map = hopMap(rollout);
  const why = whyOf(rollout, readFactsOf(rollout), map);
  if (why === null) return null;
  const events = rollout.events ?? [];
  const evidence = why.sentence === null ? evidenceWords(map) : null;
  const end =
    why.sentence === null
      ? `Right, ${searchWords(events)}${evidence === null ? '' : `; ${evidence}`}.`
      : `Wrong, ${searchWords(events)}. ${why.sentence}`;
  const refusals = refusalWords(events);
  return refusals === null ? end : `${end} ${refusals}`;
}
