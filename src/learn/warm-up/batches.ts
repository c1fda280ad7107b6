import type { PolicyTokenizer } from '../../policy/policy.ts';
import { SPECIAL_TOKENS } from '../../agent/protocol.ts';
import { copySpans, ordinaryTokens, spansRng } from '../../world/spans.ts';
import { trajectoryStream, type TrajectoryStream } from '../../world/stream.ts';
import type { TokenizedTrajectory } from '../../world/trajectory.ts';
import type { Example } from './replica.ts';

/** Where the data stands: how many examples of each sort were drawn. */
export interface Cursor {
  trajectories: number;
  spans: number;
}

export interface BatchPlan {
  /** A batch is full once it holds this many tokens. */
  tokens: number;
  /** Share of the tokens that are copying exercises. */
  copyShare: number;
  /** Loss weight of tokens that the policy did not write. */
  environmentWeight: number;
}

export interface Batch {
  examples: Example[];
  tokens: number;
  /** Where the data stands after this batch. */
  cursor: Cursor;
}

/** The length of a copying exercise: about that of a trajectory. */
const SPAN_TOKENS = 256;

/** Turns a 0/1 mask into loss weights. */
export function toExample(
  { ids, mask }: TokenizedTrajectory,
  kind: string,
  environmentWeight: number,
): Example {
  return {
    ids: Int32Array.from(ids),
    mask: Uint8Array.from(mask),
    weights: Float32Array.from(mask, (m) => (m === 1 ? 1 : environmentWeight)),
    kind,
  };
}

/** Training examples by number, so that a resumed run sees the same data. */
export class ExampleSource {
  readonly #seed: number;
  readonly #tokenizer: PolicyTokenizer;
  readonly #maxLength: number;
  readonly #ordinary: number[];
  #stream: TrajectoryStream;

  /** @param maxLength longer trajectories are left out */
  constructor(seed: number, tokenizer: PolicyTokenizer, maxLength: number) {
    this.#seed = seed;
    this.#tokenizer = tokenizer;
    this.#maxLength = maxLength;
    this.#ordinary = ordinaryTokens(tokenizer.vocabSize, SPECIAL_TOKENS.length);
    this.#stream = trajectoryStream(seed);
  }

  batch(from: Cursor, plan: BatchPlan): Batch {
    const cursor = { ...from };
    const examples: Example[] = [];
    let tokens = 0;
    while (tokens < plan.tokens * plan.copyShare) {
      const rng = spansRng(this.#seed, cursor.spans++);
      examples.push(toExample(copySpans(rng, this.#ordinary, SPAN_TOKENS), 'spans', 0));
      tokens += SPAN_TOKENS;
    }
    while (tokens < plan.tokens) {
      const example = this.trajectory(cursor, plan.environmentWeight);
      examples.push(example);
      tokens += example.ids.length;
    }
    return { examples, tokens, cursor };
  }

  /** The next trajectory that fits; moves the cursor. */
  trajectory(cursor: Cursor, environmentWeight: number): Example {
    for (;;) {
      if (this.#stream.state.index !== cursor.trajectories)
        this.#stream = trajectoryStream(this.#seed, {}, cursor.trajectories);
      const drawn = this.#stream.nextExample(this.#tokenizer);
      cursor.trajectories++;
      if (drawn.ids.length <= this.#maxLength)
        return toExample(drawn, `${drawn.hops}-hop`, environmentWeight);
    }
  }
}
