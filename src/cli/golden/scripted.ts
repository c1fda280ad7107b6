import type {
  Generated,
  GenerateOptions,
  Policy,
  PolicyInfo,
  PolicySession,
  PolicyTokenizer,
} from '../../policy/policy.ts';
import { StopTexts } from '../../policy/stop-texts.ts';

/** A policy that writes given turns, one character per token, so that any text can be replayed through the loop. */

const END_OF_TEXT = 0x11_00_00;

const tokenizer: PolicyTokenizer = {
  vocabSize: END_OF_TEXT + 1,
  endOfText: END_OF_TEXT,
  encodeText: (text) => Array.from(text, (character) => character.codePointAt(0) ?? 0),
  specialId: () => undefined,
  decode: (ids) => ids.map((id) => (id < END_OF_TEXT ? String.fromCodePoint(id) : '')).join(''),
};

class ScriptedSession implements PolicySession {
  length = 0;

  constructor(private readonly turns: string[]) {}

  append(ids: readonly number[]): void {
    this.length += ids.length;
  }

  /** Writes the next turn up to a stop; after the last turn the end of text. */
  generate(options: GenerateOptions): Promise<Generated> {
    const out: Generated = { ids: [], logprobs: [], entropies: [], finish: 'length' };
    const watch = new StopTexts(options, (ids) => tokenizer.decode(ids));
    const turn = options.maxTokens > 0 ? (this.turns.shift() ?? '') : '';
    for (const id of [...tokenizer.encodeText(turn), END_OF_TEXT].slice(0, options.maxTokens)) {
      this.length += 1;
      out.ids.push(id);
      out.logprobs.push(-1);
      out.entropies.push(0);
      options.onTokens?.({ ids: [id], logprobs: [-1], entropies: [0] });
      if (options.stopIds.includes(id) || watch.push(id))
        return Promise.resolve({ ...out, finish: 'stop' });
    }
    return Promise.resolve(out);
  }

  fork(): Promise<PolicySession> {
    const fork = new ScriptedSession([...this.turns]);
    fork.length = this.length;
    return Promise.resolve(fork);
  }

  close(): void {
    this.turns.length = 0;
  }
}

const INFO: PolicyInfo = {
  id: 'scripted',
  revision: '0',
  parameters: 0,
  maxContext: 8192,
  device: 'wasm',
  dtype: '',
};

export const scriptedPolicy = (turns: readonly string[]): Policy => ({
  info: INFO,
  tokenizer,
  open: () => Promise.resolve(new ScriptedSession([...turns])),
  dispose: () => undefined,
});
