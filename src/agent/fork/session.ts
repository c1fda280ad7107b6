import { deriveSeed } from '../../base/random.ts';
import type { Generated, GenerateOptions, Policy, PolicySession } from '../../policy/policy.ts';
import { StopTexts } from '../../policy/stop-texts.ts';
import { ForkError, type Past } from './past.ts';

/**
 * The context of a rollout that begins in a record: until the fork, tokens that were sampled are read
 * from it; from there on the policy samples, with the random numbers that come behind those.
 */
export class ForkedSession implements PolicySession {
  readonly #policy: Policy;
  readonly #past: Past;
  #live: PolicySession | null = null;
  /** The context so far, until the policy has it. */
  #ids: number[] = [];
  #drawn = 0;
  /** Tokens of the context that are the recorded rollout's; null before the fork. */
  shared: number | null = null;

  constructor(policy: Policy, past: Past) {
    this.#policy = policy;
    this.#past = past;
  }

  get length(): number {
    return this.#live?.length ?? this.#ids.length;
  }

  /** @throws ForkError where the record holds other tokens there */
  append(ids: readonly number[]): void {
    if (this.#live) return this.#live.append(ids);
    const at = this.#ids.length;
    const differs = ids.findIndex((id, i) => this.#past.tokens[at + i]?.id !== id);
    if (!this.#past.live && differs >= 0)
      throw new ForkError(
        `Token ${at + differs} differs from the record: the rollout was made with another recipe, model or version, so it cannot be forked.`,
      );
    // What the environment says after the last event that stays is shared as far as it is the same.
    if (this.#past.live && differs >= 0) this.shared ??= at + differs;
    this.#ids.push(...ids);
  }

  async generate(options: GenerateOptions): Promise<Generated> {
    if (this.#live) return this.#live.generate(options);
    const output: Generated = { ids: [], logprobs: [], entropies: [], finish: 'length' };
    const texts = new StopTexts(options, (ids) => this.#policy.tokenizer.decode(ids));
    if (options.maxTokens <= 0 && !this.#past.live) return output;
    for (;;) {
      if (this.#past.live) return this.#goOn(options, output);
      if (output.ids.length >= options.maxTokens) return output;
      const token = this.#past.tokens[this.#ids.length];
      if (!token?.sampled) return { ...output, finish: 'context' };
      this.#ids.push(token.id);
      this.#drawn += 1;
      const { id, logprob, entropy } = token;
      const added = {
        ids: [id],
        logprobs: logprob === undefined ? [] : [logprob],
        entropies: entropy === undefined ? [] : [entropy],
      };
      output.ids.push(id);
      output.logprobs.push(...added.logprobs);
      output.entropies.push(...added.entropies);
      options.onTokens?.(added);
      if (options.stopIds.includes(id) || texts.push(id)) return { ...output, finish: 'stop' };
    }
  }

  async #goOn(options: GenerateOptions, known: Generated): Promise<Generated> {
    if (options.maxTokens > 0 && known.ids.length >= options.maxTokens) return known;
    // The step ends here, so that they can be written.
    if (known.ids.length > 0 && this.#past.wordsWait) return { ...known, finish: 'stop' };
    const session = await this.#open();
    const rest = await session.generate({
      ...options,
      maxTokens: options.maxTokens - known.ids.length,
      ...(options.stopTexts?.length
        ? {
            stopPrefix: (options.stopPrefix ?? '') + this.#policy.tokenizer.decode(known.ids),
          }
        : {}),
    });
    return {
      ids: [...known.ids, ...rest.ids],
      logprobs: [...known.logprobs, ...rest.logprobs],
      entropies: [...known.entropies, ...rest.entropies],
      finish: rest.finish,
    };
  }

  async #open(): Promise<PolicySession> {
    if (this.#live) return this.#live;
    const { seed } = this.#past.inForce;
    const session = await this.#policy.open(deriveSeed(seed, 'policy'), this.#drawn);
    session.append(this.#ids);
    this.shared ??= this.#ids.length;
    this.#live = session;
    return session;
  }

  /** @throws ForkError before the fork: what a copy of the context wrote then is in no record */
  async fork(seed: number): Promise<PolicySession> {
    if (!this.#past.live)
      throw new ForkError(
        'This system tries several steps and records only the one it keeps: its rollouts cannot be forked.',
      );
    return (await this.#open()).fork(seed);
  }

  close(): void {
    this.#live?.close();
  }
}
