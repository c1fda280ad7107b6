import { itemAt } from '../../base/items.ts';
import { groupOf } from '../../learn/rl/collect.ts';
import type { Curriculum, DrawnQuestion } from '../../learn/rl/contracts.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { Refusal } from './refusal.ts';

/** A question of the curriculum, with the names and seeds that Forage's own loop gives its group. */
export interface Draw {
  drawn: DrawnQuestion;
  groupId: string;
  /** Of the group. */
  seed: number;
}

/** What a batch was drawn for. */
interface Place {
  step: number;
  /** Which of the step's, from 0: later ones are dynamic sampling's. */
  batch: number;
}

/** Batches in memory; a trainer works on the last few. Others are drawn again when asked for. */
const HELD = 256;
/** Maximum batches per step: the highest setting of dynamic sampling. */
const MOST_BATCHES = 10;

/**
 * The curriculum by draw number, whatever the order in which draws are asked for: batch b holds the
 * draws from b · Q on, Q questions per step. A batch belongs to the step for which one of its draws is
 * first asked, so that a trainer that draws again (dynamic sampling) meets the same batches of a step as
 * Forage's loop does. Batches that were passed over belong to a step each, as without dynamic sampling.
 */
export class Draws {
  readonly #settings: Pick<TrainSettings, 'seed' | 'questions' | 'steps'>;
  readonly #create: () => Pick<Curriculum, 'draw'>;
  readonly #curriculum: Pick<Curriculum, 'draw'>;
  readonly #runId: string;
  readonly #start: number;
  readonly #places: Place[] = [];
  readonly #held = new Map<number, DrawnQuestion[]>();
  /** Batches are drawn one after another. */
  #queue: Promise<unknown> = Promise.resolve();

  /**
   * @param create makes the curriculum as it stands before the first draw
   * @param start steps that the run made before, and batches, as without dynamic sampling
   * @param curriculum is notified of rollouts by the one who made it
   */
  constructor(
    settings: Pick<TrainSettings, 'seed' | 'questions' | 'steps'>,
    runId: string,
    create: () => Pick<Curriculum, 'draw'>,
    start = 0,
    curriculum = create(),
  ) {
    this.#start = start;
    this.#settings = settings;
    this.#runId = runId;
    this.#create = create;
    this.#curriculum = curriculum;
  }

  /**
   * @param number of the draw, from 0
   * @param step that it is for, from 1
   * @throws Refusal for one that is beyond the run
   */
  async at(number: number, step: number): Promise<Draw> {
    const { questions, steps } = this.#settings;
    const most = steps * questions * MOST_BATCHES;
    if (number >= most)
      throw new Refusal(
        400,
        `draw ${number}: a run of ${steps} steps of ${questions} questions has less than ${most}, ` +
          'however often groups are drawn again',
      );
    const batch = Math.floor(number / questions) - this.#start;
    if (batch < 0)
      throw new Refusal(
        400,
        `draw ${number}: the run has made ${this.#start} steps; it continues with draw ${this.#start * questions}`,
      );
    const drawing = this.#queue.then(() => this.#batch(batch, step));
    this.#queue = drawing.catch(() => undefined);
    const { drawn, place } = await drawing;
    const i = number % questions;
    return {
      drawn: itemAt(drawn, i, 'draws of a batch'),
      ...groupOf(this.#settings, this.#runId, { ...place, place: i }),
    };
  }

  async #batch(number: number, step: number): Promise<{ drawn: DrawnQuestion[]; place: Place }> {
    while (this.#places.length < number) await this.#next(this.#last.step + 1, step);
    if (this.#places.length === number) await this.#next(step, step);
    const drawn = this.#held.get(number) ?? (await this.#again(number));
    return { drawn, place: itemAt(this.#places, number, 'batches') };
  }

  get #last(): Place {
    return this.#places.at(-1) ?? { step: this.#start, batch: -1 };
  }

  /** Draws the next batch, for a step that is neither over nor later than the one that is asked for. */
  async #next(wanted: number, most: number): Promise<void> {
    const last = this.#last;
    const step = Math.max(1, last.step, Math.min(wanted, most));
    const place = { step, batch: step === last.step ? last.batch + 1 : 0 };
    const drawn = await this.#draw(this.#curriculum, place);
    const number = this.#places.push(place) - 1;
    this.#held.set(number, drawn);
    this.#held.delete(number - HELD);
  }

  #draw(from: Pick<Curriculum, 'draw'>, place: Place): Promise<DrawnQuestion[]> {
    return from.draw({ ...place, count: this.#settings.questions });
  }

  async #again(number: number): Promise<DrawnQuestion[]> {
    const curriculum = this.#create();
    let drawn: DrawnQuestion[] = [];
    for (const place of this.#places.slice(0, number + 1))
      drawn = await this.#draw(curriculum, place);
    return drawn;
  }
}
