import type { AgentEvent, RouteEvent } from '../../records/events.ts';
import type { SourceName } from '../../records/hits.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { RoutedCall } from '../../agent/router/gradient.ts';
import { FEATURE_NAMES } from '../../agent/router/features.ts';

/** One search whose source the router drew, as the rollout's events tell it. */
export interface LearnedCall extends RoutedCall {
  /** π(local | s) at the draw. */
  local: number;
  /** Type of the question, `other` where it has none. */
  kind: string;
  latencyMs: number;
  /** Share of the question's supporting titles first seen with this call; null where it has none. */
  recallGained: number | null;
}

type Rewarded = RouteEvent & { choice: SourceName; reward: NonNullable<RouteEvent['reward']> };

const isRewarded = (event: AgentEvent): event is Rewarded =>
  event.kind === 'route' &&
  event.by === 'router' &&
  event.routing === undefined &&
  event.choice !== 'both' &&
  event.reward !== null;

/** Features in the order of FEATURE_NAMES. @throws Error for a route event that lacks one */
function featuresOf(event: RouteEvent, rollout: string): number[] {
  const values = new Map(event.features.map(({ name, value }) => [name, value]));
  return FEATURE_NAMES.map((name) => {
    const value = values.get(name);
    if (value === undefined)
      throw new Error(`router: a route event of ${rollout} has no feature '${name}'`);
    return value;
  });
}

interface Brought {
  latencyMs: number;
  /** @param supporting how many titles support the question */
  recallGained: (supporting: number) => number | null;
}

/** What a call brought follows its route event; no other call can lie between. Null where it failed. */
function broughtBy({ of }: RouteEvent, later: readonly AgentEvent[]): Brought | null {
  const got = later.find(({ kind }) => kind === (of === 'background' ? 'background' : 'retrieve'));
  if (got?.kind === 'background') {
    const { latencyMs, relevance } = got;
    // Nothing was seen before the background.
    return { latencyMs, recallGained: () => relevance.supportingRecall };
  }
  if (got?.kind !== 'retrieve') return null;
  const { latencyMs, newSupporting } = got;
  return {
    latencyMs,
    recallGained: (supporting) =>
      newSupporting && supporting > 0 ? newSupporting.length / supporting : null,
  };
}

/**
 * The calls that equation (23) learns from, in the order of the rollouts: those drawn from π(a|s)
 * that returned. Fixed routes, the likelier source, the policy's own tags and failed calls have no draw
 * or no reward.
 */
export function learnedCalls(rollouts: readonly Rollout[]): LearnedCall[] {
  return rollouts.flatMap((rollout) => {
    const { question, events, id } = rollout;
    const supporting = new Set(question.supporting).size;
    return events.flatMap((event, i): LearnedCall[] => {
      if (!isRewarded(event)) return [];
      const got = broughtBy(event, events.slice(i + 1));
      if (!got) return [];
      return [
        {
          x: featuresOf(event, id),
          action: event.choice,
          reward: event.reward.total,
          local: event.probabilities.local,
          kind: question.type ?? 'other',
          latencyMs: got.latencyMs,
          recallGained: got.recallGained(supporting),
        },
      ];
    });
  });
}
