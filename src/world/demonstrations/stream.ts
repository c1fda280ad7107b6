import { KeyedRandom } from '../../base/random.ts';
import type { Trajectory } from './trajectory.ts';
import { drawForm, type FormName } from '../questions/forms.ts';
import { drawQuestion, generateMiniWorld, openScope } from '../world.ts';
import type { Encyclopedia } from '../pages/encyclopedia.ts';
import type { Question } from '../../records/records.ts';
import { Demonstrator } from './demonstrate.ts';

/** Examples drawn from one mini world before the next is made. */
const PER_WORLD = 8;

/** Examples by number from fresh mini worlds, none with a held-out composition. */
export class DemonstrationStream {
  readonly #trajectories: Worlds;
  readonly #readings: Worlds;
  constructor(private readonly seed: number) {
    this.#trajectories = new Worlds(seed, 5);
    this.#readings = new Worlds(seed, 8);
  }

  /** Trajectory number `index`; depends only on it and the seed. */
  at(index: number): Trajectory {
    const rng = new KeyedRandom(this.seed, 6, index);
    const world = this.#trajectories.of(index);
    return new Demonstrator(world, rng).demonstrate(draw(rng, world));
  }

  /** Exercise in reading number `index`, as `Demonstrator.reading` says. */
  reading(index: number): Trajectory {
    const rng = new KeyedRandom(this.seed, 9, index);
    const world = this.#readings.of(index);
    for (;;) {
      const one = new Demonstrator(world, rng).reading(draw(rng, world));
      if (one) return one;
    }
  }
}

/** The mini world of each example; the last one is kept. */
class Worlds {
  #last: { number: number; data: Encyclopedia } | undefined;
  constructor(
    private readonly seed: number,
    private readonly stream: number,
  ) {}

  of(index: number): Encyclopedia {
    const number = Math.floor(index / PER_WORLD);
    if (this.#last?.number !== number) {
      const seed = new KeyedRandom(this.seed, this.stream, number).bits();
      this.#last = { number, data: generateMiniWorld(seed) };
    }
    return this.#last.data;
  }
}

const draw = (rng: KeyedRandom, world: Encyclopedia): Omit<Question, 'id'> => {
  for (let tries = 0; tries < 60; tries++) {
    const form: FormName = tries < 40 ? drawForm(rng) : 'bridge-1';
    const question = drawQuestion(rng, openScope(world, rng), form)?.question;
    if (question && teaches(question)) return question;
  }
  throw new Error('a mini world without questions: its size is too small');
};

/** Two names of one thing, which only a further search could tell, teach nothing where neither is looked up. */
const teaches = ({ type, answers, chain = [] }: Omit<Question, 'id'>): boolean => {
  const [a, b] = chain;
  if (type !== 'yesno' || !a || !b) return true;
  return (answers[0] === 'yes') === (a.object === b.object);
};
