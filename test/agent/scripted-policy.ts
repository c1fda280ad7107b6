import { SPECIAL_TOKENS } from '../../src/records/protocol.ts';
import type {
  Generated,
  GenerateOptions,
  Policy,
  PolicyInfo,
  PolicySession,
} from '../../src/policy/policy.ts';
import { tokenizer } from './tokenizer.ts';

/**
 * A test double for control flow: sessions "sample" given texts through the real tokenizer. It obeys
 * stop ids, limits and signals as the real engine does.
 */

const TAG = new RegExp(`(${SPECIAL_TOKENS.map((t) => t.replace(/[|/]/g, '\\$&')).join('|')})`);

/** Ids of a text in which tags are special tokens. */
export const idsOf = (text: string, by: typeof tokenizer = tokenizer): number[] =>
  text
    .split(TAG)
    .filter((part) => part !== '')
    .flatMap((part) => {
      const id = (SPECIAL_TOKENS as readonly string[]).includes(part)
        ? by.specialId(part)
        : undefined;
      return id === undefined ? by.encodeText(part) : [id];
    });

interface Probe {
  text: string;
  logprob: number;
}

export interface Script {
  /** What the main context writes, one text a `generate` call; then end of text. */
  main: readonly string[];
  /** What forks write: round (1-based), then candidate. */
  probes?: readonly (readonly Probe[])[];
  /** What a second context opened by the rollout (RDRA's T) writes. */
  thought?: string;
  /** What further contexts write, one text each, in the order in which they are opened. */
  asides?: readonly string[];
  maxContext?: number;
  onGenerate?: (session: ScriptedSession) => void;
}

export class ScriptedSession implements PolicySession {
  readonly ids: number[] = [];
  closed = false;
  isFork = false;
  #forks = 0;
  constructor(
    private readonly next: () => { ids: number[]; logprob: number },
    private readonly policy: ScriptedPolicy,
  ) {}

  get length(): number {
    return this.ids.length;
  }

  append(ids: readonly number[]): void {
    this.ids.push(...ids);
  }

  async generate(options: GenerateOptions): Promise<Generated> {
    if (options.maxTokens > 0) this.policy.script.onGenerate?.(this);
    await Promise.resolve();
    const out: Generated = { ids: [], logprobs: [], entropies: [], finish: 'length' };
    if (options.maxTokens === 0) return out;
    const { ids, logprob } = this.next();
    let queue = ids;
    for (;;) {
      if (options.signal?.aborted) return { ...out, finish: 'abort' };
      if (out.ids.length >= options.maxTokens) return out;
      if (this.length >= this.policy.info.maxContext) return { ...out, finish: 'context' };
      if (queue.length === 0) queue = [tokenizer.endOfText];
      const id = queue.shift() ?? tokenizer.endOfText;
      const added = { ids: [id], logprobs: [logprob], entropies: [0.5] };
      this.ids.push(id);
      out.ids.push(id);
      out.logprobs.push(logprob);
      out.entropies.push(0.5);
      options.onTokens?.(added);
      if (options.stopIds.includes(id)) return { ...out, finish: 'stop' };
    }
  }

  async fork(): Promise<PolicySession> {
    const candidate = this.#forks++ % this.policy.candidates;
    if (candidate === 0) this.policy.round += 1;
    const probe = this.policy.script.probes?.[this.policy.round - 1]?.[candidate];
    const fork = new ScriptedSession(
      () => ({ ids: idsOf(probe?.text ?? ''), logprob: probe?.logprob ?? -1 }),
      this.policy,
    );
    fork.ids.push(...this.ids);
    fork.isFork = true;
    this.policy.sessions.push(fork);
    return Promise.resolve(fork);
  }

  close(): void {
    this.closed = true;
  }
}

export class ScriptedPolicy implements Policy {
  readonly tokenizer = tokenizer;
  readonly info: PolicyInfo;
  readonly sessions: ScriptedSession[] = [];
  readonly main: ScriptedSession[] = [];
  round = 0;

  constructor(
    readonly script: Script,
    readonly candidates = 4,
  ) {
    this.info = {
      id: 'scripted',
      revision: '0',
      parameters: 0,
      maxContext: script.maxContext ?? 1024,
      device: 'wasm',
      dtype: 'f32',
    };
  }

  async open(): Promise<PolicySession> {
    const texts = [...this.script.main];
    const thought =
      this.script.thought ??
      this.script.asides?.[this.sessions.filter((one) => !one.isFork).length - 1];
    const isThought = thought !== undefined && this.sessions.length > 0;
    const session = new ScriptedSession(
      () => ({ ids: idsOf(isThought ? thought : (texts.shift() ?? '')), logprob: -0.5 }),
      this,
    );
    this.sessions.push(session);
    if (!isThought) this.main.push(session);
    return Promise.resolve(session);
  }

  dispose(): void {}
}
