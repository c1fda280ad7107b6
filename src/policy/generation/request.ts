import type { Generated, GenerateOptions } from '../policy.ts';
import type { StopTexts } from '../stop-texts.ts';
import type { LatentCall } from './latent.ts';

/** A `generate` call that is under way. */
export interface Request {
  readonly options: GenerateOptions;
  readonly output: Generated;
  readonly stopTexts: StopTexts | null;
  /** Null where nothing that it draws is read as a mixture. */
  readonly latent: LatentCall | null;
  /** How many tokens of the output `onTokens` has been given. */
  delivered: number;
  readonly resolve: (generated: Generated) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Whether it has what it wants.
 * @param pending tokens of its context that are not yet read; with `maxTokens` 0 that is all it waits for
 */
export function isComplete({ options, output }: Request, pending: number): boolean {
  if (options.maxTokens <= 0) return pending <= 1;
  return output.ids.length >= options.maxTokens;
}

/** Hands what was drawn since the last time to the listener. */
export function deliver(request: Request): void {
  const { output, options, delivered } = request;
  if (!options.onTokens || delivered === output.ids.length) return;
  request.delivered = output.ids.length;
  options.onTokens({
    ids: output.ids.slice(delivered),
    logprobs: output.logprobs.slice(delivered),
    entropies: output.entropies.slice(delivered),
  });
}
