import type { GenerateOptions, Policy, PolicySession } from '../../policy/policy.ts';
import type { PolicyLearner } from '../replicas/learner.ts';

/**
 * What the engines do right now, token by token: rollouts and micro-batches end too rarely to be the only progress that
 * is shown.
 */

export interface ActivityView {
  /** What was done last; null before anything. */
  doing: 'writing' | 'learning' | null;
  /** Tokens per second over the last seconds. */
  tokensPerSecond: number;
  /** Tokens since `begin`. */
  tokens: number;
  /** Contexts that are written in. */
  writing: number;
  /** The end of what one of them has written. */
  text: string;
}

/** Rates are over this time, ms. */
const WINDOW_MS = 4000;
/** Tokens of the text that is shown. */
const TAIL = 24;

interface Mark {
  at: number;
  tokens: number;
}

export class Activity {
  readonly #now: () => number;
  #doing: ActivityView['doing'] = null;
  #tokens = 0;
  #writing = 0;
  #marks: Mark[] = [];
  /** The context whose text is shown, until its call ends. */
  #shown: { ids: number[] } | null = null;
  #text: number[] = [];
  #decode: (ids: readonly number[]) => string = () => '';

  /** @param now ms */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** The policy, whose sessions report what they write. */
  watchPolicy(policy: Policy): Policy {
    this.#decode = (ids) => policy.tokenizer.decode(ids);
    return {
      info: policy.info,
      tokenizer: policy.tokenizer,
      chat: policy.chat,
      open: async (seed, drawn) => this.#watched(await policy.open(seed, drawn)),
      setAdapter: policy.setAdapter && (async (adapter) => policy.setAdapter?.(adapter)),
      onWork: policy.onWork && ((listener) => policy.onWork?.(listener)),
      dispose: () => policy.dispose(),
    };
  }

  /** The learner reports tokens of forward and backward passes. */
  watchLearner(learner: PolicyLearner): void {
    learner.onTokens = (tokens) => this.#count('learning', tokens);
  }

  /** Counts tokens from here. */
  begin(): void {
    this.#tokens = 0;
    this.#marks = [];
  }

  view(): ActivityView {
    const now = this.#now();
    const { tokens } = this.#mark(now);
    const [first] = this.#marks;
    const seconds = first ? (now - first.at) / 1000 : 0;
    return {
      doing: this.#doing,
      tokensPerSecond: first && seconds > 0 ? (tokens - first.tokens) / seconds : 0,
      tokens: Math.round(tokens),
      writing: this.#writing,
      text: this.#decode(this.#text),
    };
  }

  #count(doing: 'writing' | 'learning', tokens: number): void {
    if (doing !== this.#doing) {
      this.#doing = doing;
      this.#marks = [];
    }
    if (this.#marks.length === 0) this.#mark(this.#now());
    this.#tokens += tokens;
  }

  /** Remembers how many tokens there are now; of marks that are older than the window one stays. */
  #mark(at: number): Mark {
    const mark = { at, tokens: this.#tokens };
    const old = this.#marks.findLastIndex((one) => at - one.at >= WINDOW_MS);
    this.#marks = [...this.#marks.slice(Math.max(0, old)), mark];
    return mark;
  }

  #watched(session: PolicySession): PolicySession {
    return {
      get length() {
        return session.length;
      },
      append: (ids) => session.append(ids),
      generate: (options) => this.#generate(session, options),
      fork: async (seed) => this.#watched(await session.fork(seed)),
      close: () => session.close(),
    };
  }

  async #generate(
    session: PolicySession,
    options: GenerateOptions,
  ): ReturnType<PolicySession['generate']> {
    const own = { ids: [] as number[] };
    this.#writing += 1;
    try {
      return await session.generate({
        ...options,
        onTokens: (added) => {
          this.#count('writing', added.ids.length);
          this.#shown ??= own;
          if (this.#shown === own) {
            own.ids = [...own.ids, ...added.ids].slice(-TAIL);
            this.#text = own.ids;
          }
          options.onTokens?.(added);
        },
      });
    } finally {
      this.#writing -= 1;
      if (this.#shown === own) this.#shown = null;
    }
  }
}
