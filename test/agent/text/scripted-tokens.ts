import type {
  Generated,
  GenerateOptions,
  Policy,
  PolicyChat,
  PolicyInfo,
  PolicySession,
  PolicyTokenizer,
} from '../../../src/policy/policy.ts';
import { StopTexts } from '../../../src/policy/stop-texts.ts';

/** Sessions that "sample" given ids of a real tokenizer and stop as the engine does. */

class Session implements PolicySession {
  length = 0;

  constructor(
    private readonly replies: number[][],
    private readonly tokenizer: PolicyTokenizer,
  ) {}

  append(ids: readonly number[]): void {
    this.length += ids.length;
  }

  async generate(options: GenerateOptions): Promise<Generated> {
    await Promise.resolve();
    const out: Generated = { ids: [], logprobs: [], entropies: [], finish: 'length' };
    if (options.maxTokens === 0) return out;
    const watch = new StopTexts(options, (ids) => this.tokenizer.decode(ids));
    for (const id of [...(this.replies.shift() ?? []), this.tokenizer.endOfText]) {
      if (out.ids.length >= options.maxTokens) return out;
      this.length += 1;
      out.ids.push(id);
      out.logprobs.push(-1);
      out.entropies.push(0.5);
      options.onTokens?.({ ids: [id], logprobs: [-1], entropies: [0.5] });
      if (options.stopIds.includes(id) || watch.push(id)) return { ...out, finish: 'stop' };
    }
    return out;
  }

  fork(): Promise<PolicySession> {
    return Promise.resolve(new Session([...this.replies], this.tokenizer));
  }

  close(): void {}
}

export class ScriptedTokens implements Policy {
  readonly info: PolicyInfo = {
    id: 'scripted',
    revision: '0',
    parameters: 0,
    maxContext: 8192,
    device: 'wasm',
    dtype: 'f32',
  };
  readonly chat?: PolicyChat;

  constructor(
    readonly tokenizer: PolicyTokenizer,
    private readonly replies: number[][],
    chat?: PolicyChat,
  ) {
    if (chat) this.chat = chat;
  }

  open(): Promise<PolicySession> {
    return Promise.resolve(new Session([...this.replies], this.tokenizer));
  }

  dispose(): void {}
}
