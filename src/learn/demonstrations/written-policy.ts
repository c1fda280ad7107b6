import { TurnWriter, type Turn } from '../../agent/transcript/write-turn.ts';
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
import { GaveUp, type Reason } from './left-out.ts';

/** The model that demonstrations are for, without its weights: they are written in its tokens. */
export interface DemonstrationModel {
  tokenizer: PolicyTokenizer;
  chat?: PolicyChat | undefined;
  info: PolicyInfo;
}

/**
 * Writes the next turn, as content or as text with its tags.
 * @param shown passages and hints that were added to the context since the last turn
 * @throws GaveUp where there is none
 */
export type Author = (shown: string) => Turn | { text: string };

interface Writing {
  author: Author;
  /** Called before the rollout ends because the author gave up. */
  onGaveUp(reason: Reason): void;
}

/** A policy in whose place an author writes, in the tokens of a model; no token has a log-probability. */
export const writtenPolicy = (
  { tokenizer, chat, info }: DemonstrationModel,
  tags: Tags,
  writing: Writing,
): Policy => {
  const writer = new TurnWriter(tokenizer, tags, chat);
  return {
    info,
    tokenizer,
    ...(chat && { chat }),
    open: () => Promise.resolve(new WrittenSession(tokenizer, writer, writing)),
    dispose: () => undefined,
  };
};

class WrittenSession implements PolicySession {
  length = 0;
  #shown: number[] = [];
  #first = true;

  constructor(
    private readonly tokenizer: PolicyTokenizer,
    private readonly writer: TurnWriter,
    private readonly writing: Writing,
  ) {}

  append(ids: readonly number[]): void {
    this.length += ids.length;
    this.#shown.push(...ids);
  }

  generate(options: GenerateOptions): Promise<Generated> {
    const out: Generated = { ids: [], logprobs: [], entropies: [], finish: 'length' };
    const watch = new StopTexts(options, (ids) => this.tokenizer.decode(ids));
    const written = this.#write(options.maxTokens);
    for (const id of written) {
      this.length += 1;
      out.ids.push(id);
      if (options.stopIds.includes(id) || watch.push(id)) {
        out.finish = 'stop';
        break;
      }
    }
    return Promise.resolve(out);
  }

  #write(maxTokens: number): number[] {
    const shown = this.tokenizer.decode(this.#shown);
    this.#shown = [];
    const opened = shown.trimEnd().endsWith('<think>');
    const place = { first: this.#first, opened };
    this.#first = false;
    try {
      const turn = this.writing.author(shown);
      const written =
        'text' in turn
          ? this.writer.text(opened ? unopened(turn.text) : turn.text)
          : this.writer.turn(turn, place);
      if (written.length > maxTokens) throw new GaveUp('too-long');
      return written;
    } catch (error) {
      if (error instanceof GaveUp) this.writing.onGaveUp(error.reason);
      throw error;
    }
  }

  fork(): Promise<PolicySession> {
    return Promise.reject(new Error('what an author writes cannot be sampled again'));
  }

  close(): void {
    this.#shown = [];
  }
}

/** A turn without the tag that the chat template has written already. */
const unopened = (text: string): string => text.replace(/^\s*<think>/u, '');
