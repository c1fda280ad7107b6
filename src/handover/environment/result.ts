import type { PolicyTokenizer } from '../../policy/policy.ts';
import type { Rollout, Segment } from '../../records/rollout.ts';
import type { Done, Result } from './protocol.ts';

/** From the record of a rollout to what a trainer takes. */

/** What the record does not say. */
export interface ResultOptions {
  /** What the curriculum drew the question as. */
  label?: string | undefined;
  /** Whether the whole record is sent. */
  record: boolean;
}

/** Log-probabilities of every token; undefined where a trained one has none. */
function logprobsOf(segments: readonly Segment[]): number[] | undefined {
  const all: number[] = [];
  for (const { ids, mask, logprobs } of segments) {
    if (mask === 1 && logprobs?.length !== ids.length) return undefined;
    for (const i of ids.keys()) all.push(mask === 1 ? (logprobs?.[i] ?? 0) : 0);
  }
  return all;
}

/** Trainers average every key over a batch and take numbers alone: a recall that nobody can know is 0 to them. */
function metricsOf({ metrics }: Rollout): Record<string, number> {
  if (!metrics) return {};
  const { formatValid, recall, ...rest } = metrics;
  return { acc: metrics.em, ...rest, recall: recall ?? 0, format: Number(formatValid) };
}

function rewardsOf({ rewards }: Rollout): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { clause, weight, value } of rewards)
    sums[clause] = (sums[clause] ?? 0) + weight * value;
  return sums;
}

/** What a rollout with rewards gives; a Failure where its policy failed. */
export function resultOf(
  rollout: Rollout,
  tokenizer: Pick<PolicyTokenizer, 'decode'>,
  { label, record }: ResultOptions,
): Done {
  const stop = rollout.events.findLast((event) => event.kind === 'stop');
  if (!stop || stop.reason === 'error')
    return { rollout: rollout.id, error: stop?.detail ?? 'it did not come to an end' };
  const { segments } = rollout;
  const ids = segments.flatMap((segment) => segment.ids);
  const mask = segments.flatMap((segment) => segment.ids.map(() => segment.mask));
  const logprobs = logprobsOf(segments);
  const first = mask.indexOf(1);
  // A trainer wants a completion, even of a policy that wrote nothing.
  const at = first < 0 ? ids.length - 1 : first;
  const [promptIds, completionIds] = [ids.slice(0, at), ids.slice(at)];
  return {
    rollout: rollout.id,
    group: rollout.groupId,
    question: rollout.question.id,
    step: rollout.step,
    label,
    promptIds,
    completionIds,
    mask: mask.slice(at),
    ...(logprobs && { logprobs: logprobs.slice(at) }),
    reward: rollout.reward ?? 0,
    rewards: rewardsOf(rollout),
    metrics: metricsOf(rollout),
    answer: rollout.answer,
    stop: stop.reason,
    turns: segments.filter((segment) => segment.source === 'policy').length,
    prompt: tokenizer.decode(promptIds),
    completion: tokenizer.decode(completionIds),
    ...(record && { record: rollout }),
  } satisfies Result;
}
