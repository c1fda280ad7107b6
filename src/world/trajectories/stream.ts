import { DEFAULT_MIX, Demonstrator, type DemonstrationMix } from './demonstrate.ts';
import type { Draft } from '../questions/question-scope.ts';
import { KeyedRandom } from '../../base/random.ts';
import { drawForm, drawQuestion } from '../questions/questions.ts';
import {
  tokenizeTrajectory,
  type TextTokenizer,
  type TokenizedTrajectory,
  type Trajectory,
} from './trajectory.ts';
import { generateMiniWorld, questionScope, type Encyclopedia } from '../world.ts';

/** Where a stream stands; a small JSON value. Example `index` depends on these two numbers alone. */
export interface StreamState {
  seed: number;
  index: number;
}

export interface StreamOptions {
  /** Shares of 1 to 4 hops. */
  hops: Readonly<Record<'1' | '2' | '3' | '4', number>>;
  mix: DemonstrationMix;
  /** Examples drawn from one mini world before the next is made. */
  perWorld: number;
}

const COUNTS = { '1': 1, '2': 2, '3': 3, '4': 4 } as const;

const DEFAULT_STREAM: StreamOptions = {
  hops: { '1': 0.35, '2': 0.35, '3': 0.18, '4': 0.12 },
  mix: DEFAULT_MIX,
  perWorld: 6,
};

export interface TrainingExample extends TokenizedTrajectory {
  kind: string;
  hops: number;
  composition: string;
}

/** Endless trajectories from fresh mini worlds, none with a held-out composition. */
export class TrajectoryStream {
  private world: { number: number; data: Encyclopedia } | undefined;
  private index: number;
  private readonly options: StreamOptions;

  constructor(
    private readonly seed: number,
    options: Partial<StreamOptions> = {},
    start = 0,
  ) {
    this.options = { ...DEFAULT_STREAM, ...options };
    this.index = start;
  }

  get state(): StreamState {
    return { seed: this.seed, index: this.index };
  }

  next(): Trajectory {
    return this.at(this.index++);
  }

  nextExample(tokenizer: TextTokenizer): TrainingExample {
    const trajectory = this.next();
    const { kind, hops, composition } = trajectory;
    return { ...tokenizeTrajectory(tokenizer, trajectory), kind, hops, composition };
  }

  /** Example number `index`. */
  at(index: number): Trajectory {
    const number = Math.floor(index / this.options.perWorld);
    if (this.world?.number !== number)
      this.world = {
        number,
        data: generateMiniWorld(new KeyedRandom(this.seed, 1, number).bits()),
      };
    const rng = new KeyedRandom(this.seed, 2, index);
    const { data } = this.world;
    return new Demonstrator(data, rng, this.options.mix).demonstrate(this.question(rng, data));
  }

  private question(rng: KeyedRandom, world: Encyclopedia): Draft {
    const scope = questionScope(world, 'seen');
    const hops = COUNTS[rng.weighted(this.options.hops)];
    const form = drawForm(rng, hops);
    for (let tries = 0; tries < 400; tries++) {
      const drawn = drawQuestion(rng, scope, tries < 300 ? form : 'bridge', hops);
      if (drawn) return drawn;
    }
    throw new Error('a mini world without questions: its size is too small');
  }
}

export const trajectoryStream = (
  seed: number,
  options: Partial<StreamOptions> = {},
  start = 0,
): TrajectoryStream => new TrajectoryStream(seed, options, start);
