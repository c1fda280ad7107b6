import type { PolicyTokenizer } from '../../policy/policy.ts';
import { KeyedRandom } from '../../base/random.ts';
import { PLAIN_SEARCH } from '../../records/form-line.ts';
import { FURTHER_TOKENS, SPECIAL_TOKENS } from '../../records/protocol.ts';
import { numberDrill } from '../../world/second/demonstrations/number-drills.ts';
import { DemonstrationStream } from '../../world/second/demonstrations/stream.ts';
import {
  comparisonDrill,
  comparisonDrills,
  drillsRng,
} from '../../world/trajectories/comparison-drills.ts';
import { copySpans, ordinaryTokens, spansRng } from '../../world/trajectories/spans.ts';
import { trajectoryStream, type TrajectoryStream } from '../../world/trajectories/stream.ts';
import {
  tokenizeTrajectory,
  TrajectoryWriter,
  type TokenizedTrajectory,
  type Trajectory,
} from '../../world/trajectories/trajectory.ts';
import type { Example } from './replica.ts';

/** Where the data stands: how many examples of each sort were drawn. */
export interface Cursor {
  trajectories: number;
  spans: number;
  /** Absent in snapshots from before there were any. */
  drills?: number | undefined;
  /** Trajectories of the second form; absent as well in snapshots from before. */
  second?: number | undefined;
  /** Where each of several streams stands; the other counts mean nothing then. */
  streams?: Cursor[] | undefined;
}

export interface BatchPlan {
  /** A batch is full once it holds this many tokens. */
  tokens: number;
  /** Share of the tokens that are copying exercises. */
  copyShare: number;
  /** Share of the tokens that are exercises: in comparing and, with a second form, in reckoning and reading. */
  drillShare: number;
  /** Share of the trajectories that are of the world's second form. */
  secondForm: number;
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
  #stream: TrajectoryStream;
  readonly #second: DemonstrationStream;

  /** @param maxLength longer trajectories are left out */
  constructor(seed: number, tokenizer: PolicyTokenizer, maxLength: number) {
    this.#seed = seed;
    this.#tokenizer = tokenizer;
    this.#maxLength = maxLength;
    const further = FURTHER_TOKENS.filter((token) => tokenizer.specialId(token) !== undefined);
    const specials = SPECIAL_TOKENS.length + further.length;
    this.#ordinary = ordinaryTokens(tokenizer.vocabSize, specials);
    this.#stream = trajectoryStream(seed);
    this.#second = new DemonstrationStream(seed);
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
      const example = toExample(this.#drillsAt(index, plan.secondForm > 0), 'drills', 0);
      for (const [i, weight] of example.weights.entries())
        example.weights[i] = weight * DRILL_WEIGHT;
      examples.push(example);
      tokens += example.ids.length;
    }
    while (tokens < plan.tokens) {
      const example = this.trajectory(cursor, plan.environmentWeight, plan.secondForm);
      examples.push(example);
      tokens += example.ids.length;
    }
    return { examples, tokens, cursor };
  }

  /**
   * Exercises by number: of the second form three of four in reading, of which each stands alone and which
   * take longest to learn; the others in reckoning and comparing by turns.
   */
  #drillsAt(index: number, second: boolean): TokenizedTrajectory {
    const place = Math.floor(index / 4);
    if (second && index % 4 > 0) return this.#reading(index - place - 1);
    const rng = drillsRng(this.#seed, index);
    return second && place % 2 === 0
      ? joined(() => numberDrill(rng, this.#tokenizer), SPAN_TOKENS)
      : comparisonDrills(rng, this.#tokenizer, SPAN_TOKENS);
  }

  #reading(index: number): TokenizedTrajectory {
    return tokenizeTrajectory(this.#tokenizer, this.#second.reading(index));
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
  trajectory(cursor: Cursor, environmentWeight: number, secondForm = 0): Example {
    for (;;) {
      const second = cursor.second ?? 0;
      const drawnSoFar = cursor.trajectories + second;
      if (secondForm > 0 && new KeyedRandom(this.#seed, 7, drawnSoFar).chance(secondForm)) {
        cursor.second = second + 1;
        const trajectory = this.#second.at(second);
        const tokenized = tokenizeTrajectory(this.#tokenizer, trajectory);
        if (tokenized.ids.length <= this.#maxLength)
          return toExample(tokenized, trajectory.kind, environmentWeight);
        continue;
      }
      if (this.#stream.state.index !== cursor.trajectories)
        this.#stream = trajectoryStream(this.#seed, {}, cursor.trajectories);
      const drawn = this.#named(this.#stream.next());
      cursor.trajectories++;
      if (drawn.ids.length <= this.#maxLength)
        return toExample(drawn, `${drawn.hops}-hop`, environmentWeight);
    }
  }

  /** A trajectory of the first form, with its form named where the policy knows such a line. */
  #named(trajectory: Trajectory): TokenizedTrajectory & { hops: number } {
    const { segments, kind, hops } = trajectory;
    const named = this.#tokenizer.specialId('<form>') !== undefined;
    const writer = new TrajectoryWriter();
    if (named)
      writer.form({
        ...PLAIN_SEARCH,
        way: kind === 'naive-rag' ? 'read' : 'search',
        background: kind.startsWith('background'),
      });
    const all = { segments: [...writer.segments, ...segments] };
    return { ...tokenizeTrajectory(this.#tokenizer, all), hops };
  }
}
