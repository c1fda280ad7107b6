import type { ChatCompletionChunk } from '@mlc-ai/web-llm';
import type { WebLlmEngine } from '../../../../src/policy/remote/webllm/backend.ts';

/** An engine with WebLLM's own contract: one request at a time, which ends only when it is read out. */
export interface ScriptedEngine {
  engine: WebLlmEngine;
  requests: unknown[];
  /** Requests that began before the one before them was read out: the library would mix them up. */
  overlaps: number;
  interrupts: number;
  unloaded: boolean;
}

const chunk = (
  token: string,
  logprob: number | null,
  finish: 'stop' | 'length' | null,
): ChatCompletionChunk => ({
  id: 'c',
  created: 0,
  model: 'm',
  object: 'chat.completion.chunk',
  choices: [
    {
      index: 0,
      delta: finish === null ? { content: token, role: 'assistant' } : {},
      logprobs:
        logprob === null ? null : { content: [{ token, logprob, bytes: [], top_logprobs: [] }] },
      finish_reason: finish,
    },
  ],
});

/** @param wait between two chunks, in milliseconds */
export function scriptedEngine(
  tokens: readonly string[],
  { logprobs = true, wait = 0 } = {},
): ScriptedEngine {
  let stop = false;
  let busy = false;
  const state: ScriptedEngine = {
    requests: [],
    overlaps: 0,
    interrupts: 0,
    unloaded: false,
    engine: {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the one call that is used
      chat: {
        completions: {
          create: (request: { max_tokens: number }) => {
            state.requests.push(request);
            if (busy) state.overlaps += 1;
            busy = true;
            stop = false;
            return Promise.resolve(run(request.max_tokens));
          },
        },
      } as unknown as WebLlmEngine['chat'],
      interruptGenerate: () => {
        state.interrupts += 1;
        stop = true;
      },
      unload: () => {
        state.unloaded = true;
        return Promise.resolve();
      },
    },
  };
  async function* run(most: number): AsyncGenerator<ChatCompletionChunk> {
    let written = 0;
    for (const token of tokens) {
      if (stop || written === most) break;
      await new Promise((resolve) => setTimeout(resolve, wait));
      yield chunk(token, logprobs ? -0.25 * ++written : (written++, null), null);
    }
    yield chunk('', null, written === most && written < tokens.length ? 'length' : 'stop');
    busy = false;
  }
  return state;
}
