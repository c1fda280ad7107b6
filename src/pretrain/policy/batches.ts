import type { PolicyTokenizer } from '../../policy/policy.ts';
import { SPECIAL_TOKENS } from '../../records/protocol.ts';
import {
  comparisonDrill,
  comparisonDrills,
  drillsRng,
} from '../../world/trajectories/comparison-drills.ts';
import { copySpans, ordinaryTokens, spansRng } from '../../world/trajectories/spans.ts';
import { trajectoryStream, type TrajectoryStream } from '../../world/trajectories/stream.ts';
import type { TokenizedTrajectory } from '../../world/trajectories/trajectory.ts';
import type { Example } from './replica.ts';

/** Where the data stands: how many examples of each sort were drawn. */
export interface Cursor {
  trajectories: number;
  spans: number;
  /** Absent in snapshots from before there were any. */
  drills?: number | undefined;
}

export interface BatchPlan {
  /** A batch is full once it holds this many tokens. */
  tokens: number;
  /** Share of the tokens that are copying exercises. */
  copyShare: number;
  /** Share of the tokens that are exercises in comparing. */
  drillShare: number;
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

/** Loss weight of a verdict: one of its tokens decides, and trajectories hold many more tokens. */
const DRILL_WEIGHT = 3;

/** Turns a 0/1 mask into loss weights. */
function toExample(
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
    const drillsEnd = tokens + plan.tokens * plan.drillShare;
    while (tokens < drillsEnd) {
      const index = cursor.drills ?? 0;
      cursor.drills = index + 1;
      const drills = comparisonDrills(drillsRng(this.#seed, index), this.#tokenizer, SPAN_TOKENS);
      const example = toExample(drills, 'drills', 0);
      for (const [i, weight] of example.weights.entries())
        example.weights[i] = weight * DRILL_WEIGHT;
      examples.push(example);
      tokens += example.ids.length;
    }
    while (tokens < plan.tokens) {
      const example = this.trajectory(cursor, plan.environmentWeight);
      examples.push(example);
      tokens += example.ids.length;
    }
    return { examples, tokens, cursor };
  }

  /** Single exercises in comparing, to be scored: `whole` is then the share of right verdicts. */
  drills(count: number): Example[] {
    const rng = drillsRng(this.#seed, 0);
    return Array.from({ length: count }, () =>
      toExample(comparisonDrill(rng, this.#tokenizer), 'drills', 0),
    );
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
