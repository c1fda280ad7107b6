import { coverageOf } from '../../agent/router/coverage.ts';
import { FEATURE_NAMES, routerFeatures, type FeatureName } from '../../agent/router/features.ts';
import { present } from '../../base/items.ts';
import type { RouterState } from '../../agent/router/features.ts';
import type { SourceName } from '../../records/hits.ts';
import { Gold, share, testQuestions, type MeasuredWorld } from './measured.ts';

export interface RoutingReport {
  /** Gold queries of test questions, and the share of them that the local corpus answers rightly. */
  queries: number;
  local: number;
  /** The feature that, compared with one threshold, names the right source most often. */
  bestRoutingFeature: { name: FeatureName; accuracy: number };
  /** The same for every feature. */
  features: readonly { name: FeatureName; accuracy: number }[];
}

interface RoutedQuestion {
  features: Readonly<Record<FeatureName, number>>;
  /** Local where the local corpus holds what is right: it is the cheaper of the two. */
  right: SourceName;
}

/** The protocol's limit on searches, the shipped policy's context, and the passages of a result. */
const [SEARCHES, CONTEXT, PASSAGES] = [8, 1024, 3];

/** The state before each gold query, where every query before it went to the right source and found. */
export function routedSteps(measured: MeasuredWorld): RoutedQuestion[] {
  const { world, countTokens } = measured;
  const gold = new Gold(measured);
  const localCoverage = coverageOf(world.local);
  const passages = [...world.local, ...measured.web];
  const sample = passages.slice(0, 500).map(({ title, text }) => countTokens(`${title} : ${text}`));
  const result =
    PASSAGES *
    share(
      sample.reduce((a, b) => a + b, 0),
      sample.length,
    );
  return testQuestions(measured).flatMap(({ text, chain = [] }) => {
    const past: RouterState['past'][number][] = [];
    let used = countTokens(text);
    return chain.map((step): RoutedQuestion => {
      const right: SourceName = gold.of(step).gold.local.size > 0 ? 'local' : 'web';
      const features = routerFeatures({
        question: text,
        query: step.query,
        round: past.length + 1,
        maxSearches: SEARCHES,
        past: [...past],
        roomLeft: Math.max(0, 1 - used / CONTEXT),
        localCoverage: localCoverage(step.query),
      });
      past.push({ query: step.query, source: right, missed: false });
      used += countTokens(step.query) + result;
      return { features, right };
    });
  });
}

/**
 * The best share right of "local where the value is above a threshold" and of its opposite, over all
 * thresholds; naming one source always is among them.
 * @param cases value and whether local is right
 */
export function bestThreshold(cases: readonly { value: number; local: boolean }[]): number {
  const sorted = cases.toSorted((a, b) => a.value - b.value);
  const locals = sorted.filter(({ local }) => local).length;
  const total = sorted.length;
  // Web below the threshold, local from it on: all of them at first.
  let right = locals;
  let best = Math.max(right, total - right);
  for (const [i, { local, value }] of sorted.entries()) {
    right += local ? -1 : 1;
    const next = sorted[i + 1];
    if (next && next.value === value) continue;
    best = Math.max(best, right, total - right);
  }
  return share(best, total);
}

export function measureRouting(measured: MeasuredWorld): RoutingReport {
  const steps = routedSteps(measured);
  const features = FEATURE_NAMES.map((name) => ({
    name,
    accuracy: bestThreshold(
      steps.map((step) => ({ value: step.features[name], local: step.right === 'local' })),
    ),
  }));
  const [best] = features.toSorted((a, b) => b.accuracy - a.accuracy);
  return {
    queries: steps.length,
    local: share(steps.filter(({ right }) => right === 'local').length, steps.length),
    bestRoutingFeature: present(best, 'a feature'),
    features,
  };
}
