import { itemAt } from '../../base/items.ts';
import type { Generated } from '../../policy/policy.ts';
import { StopTexts } from '../../policy/stop-texts.ts';
import type { Answer, SampleRequest } from './protocol.ts';
import { Refusal } from './refusal.ts';

/** What decides where an answer ends. */
export interface Limits extends Pick<
  SampleRequest,
  'maxTokens' | 'stopIds' | 'stopTexts' | 'stopPrefix'
> {
  /** `maxTokens` fills the context: reaching it means `context`, not `length`. */
  fillsContext: boolean;
}

const KEEP_STOPS =
  'keep the stop in the answer (vLLM: include_stop_str_in_output, SGLang: no_stop_trim) and let the engine ' +
  'stop at nothing else';

function earlyEnd({ id, ids, finish }: Answer, { maxTokens }: Limits): Generated['finish'] {
  if (finish === 'length' || finish === 'context') return finish;
  const few = `answer ${id}: ${ids.length} of ${maxTokens} tokens, and none of its stops is among them`;
  throw new Refusal(
    400,
    finish === 'stop'
      ? `${few}; ${KEEP_STOPS}`
      : `${few}; say in finish why it ended, or ${KEEP_STOPS}`,
  );
}

/**
 * What of an answer counts: up to its first stop, or `maxTokens`, whatever the engine sampled after it.
 * @param decode of the policy's tokenizer
 * @throws Refusal where the answer ends early and does not say why
 */
export function cut(
  answer: Answer,
  limits: Limits,
  decode: (ids: readonly number[]) => string,
): Generated {
  const { ids, logprobs } = answer;
  const { maxTokens, fillsContext } = limits;
  const stops = new Set(limits.stopIds);
  const texts = new StopTexts(limits, decode);
  const most = Math.min(ids.length, maxTokens);
  let end = 0;
  let stopped = false;
  while (end < most && !stopped) {
    const id = itemAt(ids, end++, 'ids of an answer');
    stopped = stops.has(id) || texts.push(id);
  }
  const full = fillsContext || answer.finish === 'context' ? 'context' : 'length';
  return {
    ids: ids.slice(0, end),
    logprobs: logprobs?.slice(0, end) ?? [],
    entropies: [],
    finish: stopped ? 'stop' : end === maxTokens ? full : earlyEnd(answer, limits),
  };
}
