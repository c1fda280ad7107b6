import type { PolicyInfo } from '../../../../src/policy/policy.ts';
import type {
  TextBackend,
  TextChunk,
  TextRequest,
  Turns,
} from '../../../../src/policy/remote/text-backend.ts';

/** A model that says what a script says, cut into tokens as the script says. */

export type Reply = (request: TextRequest, call: number) => Iterable<TextChunk>;

export const INFO: PolicyInfo = {
  id: 'scripted-server',
  revision: '',
  parameters: 0,
  maxContext: 4096,
  device: 'server',
  dtype: '',
};

/** A text as tokens of `size` characters, each with a log-probability. */
export const tokensOf = (text: string, size = 4, logprob = -0.25): TextChunk[] =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, i) => ({
    text: text.slice(i * size, (i + 1) * size),
    logprob,
  }));

export class ScriptedBackend implements TextBackend {
  readonly requests: TextRequest[] = [];
  /** Requests that were ended before the model was. */
  left = 0;

  constructor(
    private readonly reply: Reply,
    readonly turns: Turns = 'none',
    readonly info: PolicyInfo = INFO,
  ) {}

  async *stream(request: TextRequest): AsyncGenerator<TextChunk> {
    const call = this.requests.push(request) - 1;
    let over = false;
    try {
      for (const chunk of this.reply(request, call)) {
        await Promise.resolve();
        if (request.signal.aborted) throw request.signal.reason;
        yield chunk;
      }
      over = true;
    } finally {
      if (!over) this.left += 1;
    }
  }
}
