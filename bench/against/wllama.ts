import type { RawCompletionParams, RawCompletionResponse } from '@wllama/wllama';
import { scoredTokens, startWllama, stopWllama } from '../rollout/wllama.ts';
import type { WllamaSettings } from '../rollout/wllama-settings.ts';
import type { Engine } from './engine.ts';
import type { Prompt } from './prompts.ts';

export interface WllamaEngine extends Engine {
  /** The greedy tokens after each prompt. Not timed. */
  greedy(prompts: readonly Prompt[], tokens: number): Promise<number[][]>;
}

/** @param context tokens of each slot */
export async function startWllamaEngine(
  files: readonly Blob[],
  slots: number,
  settings: WllamaSettings,
  context: number,
): Promise<WllamaEngine> {
  const pool = await startWllama(files, slots, settings, context);
  let opened: readonly Prompt[] = [];

  /** All prompts at once, each in a slot of its own. */
  const complete = (tokens: number, cached: boolean, scored: boolean) =>
    Promise.all(
      opened.map(async (prompt, i): Promise<RawCompletionResponse> => {
        const { members } = pool;
        const member = members[i % members.length];
        if (!member) throw new Error('bench: wllama was not started');
        // Options of llama-server that wllama passes on without naming them in its types.
        const untyped = {
          prompt: prompt.text,
          id_slot: Math.floor(i / members.length),
          cache_prompt: cached,
          ignore_eos: true,
          samplers: pool.samplers,
          ...(scored && { logprobs: 1 }),
        };
        const response = await member.createCompletion({
          max_tokens: tokens,
          temperature: 0,
          stream: false,
          ...untyped,
        } as unknown as RawCompletionParams & { stream: false });
        const { prompt_tokens, completion_tokens } = response.usage;
        if (prompt_tokens !== prompt.ids.length || completion_tokens !== tokens)
          throw new Error(
            `bench: wllama made ${completion_tokens} tokens of ${tokens} after ${prompt_tokens} of ${prompt.ids.length}`,
          );
        return response;
      }),
    );
  const { cacheType = 'f16' } = settings;
  return {
    held: `weights as stored, KV cache in ${cacheType}`,
    async prefill(prompts) {
      opened = prompts;
      await complete(1, false, false);
    },
    async decode(tokens) {
      // The last token of the prompt is computed again: one forward pass per token, as with any decode.
      for (const { usage, timings } of await complete(tokens, true, false)) {
        const cached = timings?.cache_n ?? usage.prompt_tokens_details?.cached_tokens;
        if (cached !== usage.prompt_tokens - 1)
          throw new Error(`bench: wllama computed a prompt again (${cached} tokens were cached)`);
      }
    },
    async greedy(prompts, tokens) {
      opened = prompts;
      const all = await complete(tokens, false, true);
      return all.map(({ choices }) => scoredTokens(choices[0]).ids);
    },
    stop: () => stopWllama(pool),
  };
}
