/** Metrics of docs/methods.md, section 5: retrieval and pass@k; those of answers are in agent/scores.ts. */

import { normalizeAnswer } from '../agent/answers/normalisers.ts';
import { soundTitles, supportingRecall } from '../agent/answers/scores.ts';
import type { Hit } from '../records/hits.ts';
import type { Rollout } from '../records/rollout.ts';

/** Whether one of the first k passages holds a gold answer as whole words after normalisation: 1 or 0. */
export function answerInTopK(
  hits: readonly Hit[],
  golds: readonly string[],
  k = hits.length,
): number {
  const texts = hits
    .slice(0, k)
    .map(({ passage }) => ` ${normalizeAnswer(`${passage.title} ${passage.text}`)} `);
  const found = golds
    .map(normalizeAnswer)
    .some((gold) => gold !== '' && texts.some((text) => text.includes(` ${gold} `)));
  return Number(found);
}

/** What one search of a rollout added. */
interface SearchGain {
  round: number;
  /** Supporting recall after this search; null where the question names no evidence. */
  recall: number | null;
  /** Its difference from the recall before; null as it is. */
  gain: number | null;
  /** Share of this search's passages that an earlier one had returned; 0 for an empty list. */
  duplicates: number;
}

/** Recall, marginal gain and duplicates search by search; the background counts as already seen. */
export function searchGains(rollout: Pick<Rollout, 'events' | 'question'>): SearchGain[] {
  const { supporting } = rollout.question;
  const titles: string[] = [];
  const gains: SearchGain[] = [];
  for (const event of rollout.events) {
    if (event.kind !== 'background' && event.kind !== 'retrieve') continue;
    const before = supportingRecall(titles, supporting);
    titles.push(...soundTitles(event.hits.map((hit) => hit.passage)));
    if (event.kind === 'background') continue;
    const recall = supportingRecall(titles, supporting);
    const duplicates = event.hits.length === 0 ? 0 : event.duplicates.length / event.hits.length;
    const gain = recall === null || before === null ? null : recall - before;
    gains.push({ round: gains.length + 1, recall, gain, duplicates });
  }
  return gains;
}

const asksWeb = (source: string): boolean => source === 'web' || source === 'both';

/** Calls that asked the web, the background's too; one that asks both sources counts. */
export function webCalls({ events, recipe }: Pick<Rollout, 'events' | 'recipe'>): number {
  const searches = events.filter((event) => event.kind === 'retrieve' && asksWeb(event.source));
  const { background } = recipe.settings;
  const fixed =
    typeof background === 'object' && background !== null && 'source' in background
      ? String(background.source)
      : '';
  // One that passed through the router went where its own route says, not where the settings do.
  const [source = fixed] = events.flatMap((event) =>
    event.kind === 'route' && event.of === 'background' ? [event.choice] : [],
  );
  const backgrounds = events.filter(
    (event) => event.kind === 'background' && event.mode !== 'off' && asksWeb(source),
  );
  return searches.length + backgrounds.length;
}

/**
 * pass@k of n samples with c right ones: `1 − C(n−c, k)/C(n, k)`, as a product that cannot overflow.
 * @throws RangeError unless 0 ≤ c ≤ n and 1 ≤ k ≤ n
 */
export function passAtK(n: number, c: number, k: number): number {
  if (!(c >= 0 && c <= n && k >= 1 && k <= n)) {
    throw new RangeError(`pass@${k} of ${n} samples with ${c} right is not defined`);
  }
  if (n - c < k) return 1;
  let allWrong = 1;
  for (let i = n - c + 1; i <= n; i++) allWrong *= 1 - k / i;
  return 1 - allWrong;
}
