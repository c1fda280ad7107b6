import { turnIds, type Turn } from '../../agent/transcript/write-turn.ts';
import type { Tags } from '../../agent/transcript/tags.ts';
import type {
  Generated,
  GenerateOptions,
  Policy,
  PolicyChat,
  PolicyInfo,
  PolicySession,
  PolicyTokenizer,
} from '../../policy/policy.ts';
import { StopTexts } from '../../policy/stop-texts.ts';

/** The model that demonstrations are for, without its weights: they are written in its tokens. */
export interface DemonstrationModel {
  tokenizer: PolicyTokenizer;
  chat?: PolicyChat | undefined;
  info: PolicyInfo;
}

/**
 * Writes the next turn.
 * @param shown text that was added to the context since the last turn: the prompt, then results and hints
 */
export type Author = (shown: string) => Turn;

/** A policy in whose place an author writes, in the tokens of a model; no token has a log-probability. */
export const writtenPolicy = (
  { tokenizer, chat, info }: DemonstrationModel,
  tags: Tags,
  author: Author,
): Policy => ({
  info,
  tokenizer,
  ...(chat && { chat }),
  open: () => Promise.resolve(new WrittenSession(tokenizer, tags, author)),
  dispose: () => undefined,
});

class WrittenSession implements PolicySession {
  length = 0;
  #shown: number[] = [];
  #first = true;

  constructor(
    private readonly tokenizer: PolicyTokenizer,
    private readonly tags: Tags,
    private readonly author: Author,
  ) {}

  append(ids: readonly number[]): void {
    this.length += ids.length;
    this.#shown.push(...ids);
  }

  generate(options: GenerateOptions): Promise<Generated> {
    const shown = this.tokenizer.decode(this.#shown);
    this.#shown = [];
    const opened = shown.trimEnd().endsWith('<think>');
    const out: Generated = { ids: [], logprobs: [], entropies: [], finish: 'length' };
    const watch = new StopTexts(options, (ids) => this.tokenizer.decode(ids));
    const place = { first: this.#first, opened };
    this.#first = false;
    const written = turnIds(this.tokenizer, this.tags, this.author(shown), place);
    for (const id of written.slice(0, options.maxTokens)) {
      this.length += 1;
      out.ids.push(id);
      if (options.stopIds.includes(id) || watch.push(id)) {
        out.finish = 'stop';
        break;
      }
    }
    return Promise.resolve(out);
  }

  fork(): Promise<PolicySession> {
    return Promise.reject(new Error('what an author writes cannot be sampled again'));
  }

  close(): void {
    this.#shown = [];
  }
}
