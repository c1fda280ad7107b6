import { Wllama, type RawCompletionChoice, type RawCompletionParams } from '@wllama/wllama';
import wasmUrl from '@wllama/wllama/esm/wasm/wllama.wasm?url';
import { promptLength } from './shape.ts';
import { loadParams, type WllamaSettings } from './wllama-settings.ts';

/** Instances of wllama that share the rollouts, each with continuous batching. */
export interface WllamaPool {
  members: Wllama[];
  samplers: readonly string[] | undefined;
}

/**
 * As many slots as rollouts, over `settings.instances` instances.
 * @param gguf a model, or its parts
 * @param context tokens of each slot
 */
export async function startWllama(
  gguf: readonly Blob[],
  rollouts: number,
  settings: WllamaSettings,
  context: number,
): Promise<WllamaPool> {
  const members = await Promise.all(
    Array.from({ length: settings.instances }, async () => {
      const wllama = new Wllama({ default: wasmUrl }, { suppressNativeLog: true });
      await wllama.loadModel([...gguf], loadParams(rollouts, settings, context));
      return wllama;
    }),
  );
  return { members, samplers: settings.samplers };
}

export async function stopWllama({ members }: WllamaPool): Promise<void> {
  await Promise.all(members.map((member) => member.exit()));
}

async function rollout(
  wllama: Wllama,
  samplers: readonly string[] | undefined,
  seed: number,
  tokens: number,
): Promise<number> {
  const letters = Array.from({ length: promptLength(seed) }, (_, i) =>
    String.fromCharCode(97 + ((i * 31 + seed) % 26)),
  );
  // Options of llama-server that wllama passes on without naming them in its types.
  const untyped = { ignore_eos: true, cache_prompt: false, ...(samplers && { samplers }) };
  const options: RawCompletionParams & { stream: false } = {
    prompt: letters.join(''),
    max_tokens: tokens,
    temperature: 1,
    top_k: 0,
    top_p: 1,
    min_p: 0,
    seed,
    stream: false,
    ...untyped,
  };
  const { usage } = await wllama.createCompletion(options);
  if (usage.prompt_tokens < letters.length) throw new Error('bench: the prompt was shortened');
  if (usage.completion_tokens !== tokens) throw new Error('bench: the answer was shortened');
  return usage.completion_tokens;
}

/** All rollouts at once, not streamed: the fewest messages. Returns the number of tokens. */
export async function runWllama(
  { members, samplers }: WllamaPool,
  rollouts: number,
  tokens: number,
): Promise<number> {
  const counts = await Promise.all(
    Array.from({ length: rollouts }, (_, i) => {
      const member = members[i % members.length];
      if (!member) throw new Error('bench: wllama was not started');
      return rollout(member, samplers, i + 1, tokens);
    }),
  );
  return counts.reduce((a, b) => a + b, 0);
}

/** Ids of tokens, with their log-probabilities under the model. */
export interface Completion {
  ids: number[];
  logprobs: number[];
}

/** The tokens of an answer that was asked for with `logprobs: 1`. */
export function scoredTokens(choice: RawCompletionChoice | undefined): Completion {
  if (!choice?.logprobs) throw new Error('bench: wllama gave no log-probabilities');
  const { content } = choice.logprobs as unknown as TokenList;
  return { ids: content.map(({ id }) => id), logprobs: content.map(({ logprob }) => logprob) };
}

/** What llama-server gives in the place of the older format that wllama's types name. */
interface TokenList {
  content: { id: number; logprob: number }[];
}

/** Greedy decoding with exact keys and values. It ends early after a token that ends a text. */
export async function complete(gguf: Blob, prompt: string, tokens: number): Promise<Completion> {
  const wllama = new Wllama({ default: wasmUrl }, { suppressNativeLog: true });
  await wllama.loadModel([gguf], {
    n_ctx: 512,
    n_threads: 2,
    n_gpu_layers: 0,
    cache_type_k: 'f32',
    cache_type_v: 'f32',
    flash_attn: false,
  });
  try {
    const { choices } = await wllama.createCompletion({
      prompt,
      max_tokens: tokens,
      temperature: 0,
      logprobs: 1,
      stream: false,
    });
    return scoredTokens(choices[0]);
  } finally {
    await wllama.exit();
  }
}
