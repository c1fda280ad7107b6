import type { PolicyTokenizer } from '../../policy/policy.ts';
import { FURTHER_TOKENS, SPECIAL_TOKENS } from '../../records/protocol.ts';
import { comparisonDrill, drillsRng } from '../../world/demonstrations/comparison-drills.ts';
import { numberDrill } from '../../world/demonstrations/number-drills.ts';
import { copySpans, ordinaryTokens, spansRng } from '../../world/demonstrations/spans.ts';
import { DemonstrationStream } from '../../world/demonstrations/stream.ts';
import {
  tokenizeTrajectory,
  type TokenizedTrajectory,
} from '../../world/demonstrations/trajectory.ts';
import type { Example } from './replica.ts';

/** Where the data stands: how many examples of each sort were drawn. */
export interface Cursor {
  trajectories: number;
  spans: number;
  drills: number;
  /** Where each of several streams stands; the other counts mean nothing then. */
  streams?: Cursor[];
}

export const CURSOR_START: Cursor = { trajectories: 0, spans: 0, drills: 0 };

export interface BatchPlan {
  /** A batch is full once it holds this many tokens. */
  tokens: number;
  /** Share of the tokens that are copying exercises. */
  copyShare: number;
  /** Share of the tokens that are exercises in comparing, reckoning and reading. */
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

/** What exercises train: comparing two values, reckoning with them, reading a result. */
export type DrillKind = 'compare' | 'reckon' | 'read';

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

/** Exercises one after the other, as many as fit. @param length most tokens: no exercise is cut */
function joined(one: () => TokenizedTrajectory, length: number): TokenizedTrajectory {
  const all: TokenizedTrajectory = { ids: [], mask: [] };
  for (;;) {
    const { ids, mask } = one();
    if (all.ids.length + ids.length > length) return all;
    all.ids.push(...ids);
    all.mask.push(...mask);
  }
}

/** Training examples by number, so that a resumed run sees the same data. */
export class ExampleSource {
  readonly #seed: number;
  readonly #tokenizer: PolicyTokenizer;
  readonly #maxLength: number;
  readonly #ordinary: number[];
  readonly #demonstrations: DemonstrationStream;

  /** @param maxLength longer trajectories are left out */
  constructor(seed: number, tokenizer: PolicyTokenizer, maxLength: number) {
    this.#seed = seed;
    this.#tokenizer = tokenizer;
    this.#maxLength = maxLength;
    const further = FURTHER_TOKENS.filter((token) => tokenizer.specialId(token) !== undefined);
    const specials = SPECIAL_TOKENS.length + further.length;
    this.#ordinary = ordinaryTokens(tokenizer.vocabSize, specials);
    this.#demonstrations = new DemonstrationStream(seed);
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
      const example = toExample(this.#drillsAt(cursor.drills++), 'drills', 0);
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

  /**
   * Exercises by number: three of four in reading, which take longest to learn and fill a sequence each; the others in reckoning
   * and comparing by turns.
   */
  #drillsAt(index: number): TokenizedTrajectory {
    const place = Math.floor(index / 4);
    if (index % 4 > 0) return this.#reading(index - place - 1);
    const rng = drillsRng(this.#seed, index);
    const drill = place % 2 === 0 ? numberDrill : comparisonDrill;
    return joined(() => drill(rng, this.#tokenizer), SPAN_TOKENS);
  }

  #reading(index: number): TokenizedTrajectory {
    return tokenizeTrajectory(this.#tokenizer, this.#demonstrations.reading(index));
  }

  /** Single exercises, to be scored: `whole` is then the share of right verdicts. */
  drills(count: number, kind: DrillKind = 'compare'): Example[] {
    const rng = drillsRng(this.#seed, 0);
    const one = {
      compare: () => comparisonDrill(rng, this.#tokenizer),
      reckon: () => numberDrill(rng, this.#tokenizer),
      read: (index: number) => this.#reading(index),
    }[kind];
    return Array.from({ length: count }, (_, index) => toExample(one(index), kind, 0));
  }

  /** The next trajectory that fits; moves the cursor. */
  trajectory(cursor: Cursor, environmentWeight: number): Example {
    for (;;) {
      const trajectory = this.#demonstrations.at(cursor.trajectories++);
      const tokenized = tokenizeTrajectory(this.#tokenizer, trajectory);
      if (tokenized.ids.length <= this.#maxLength)
        return toExample(tokenized, trajectory.kind, environmentWeight);
    }
  }
}
