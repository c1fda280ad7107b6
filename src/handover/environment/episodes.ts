import { deriveSeed } from '../../base/random.ts';
import { createCurriculum } from '../../learn/curriculum/create.ts';
import { rolloutOverrides, groupOf } from '../../learn/rl/collect.ts';
import { isScored } from '../../learn/curriculum/score-questions.ts';
import type { Curriculum, DrawnQuestion, Json } from '../../learn/rl/contracts.ts';
import { heldOutRollout, heldOutSample } from '../../learn/rl/held-out.ts';
import type { SettingsOverride } from '../../recipes/parts/settings.ts';
import { declaredCurriculum } from '../../recipes/parts/curriculum.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import type { Question } from '../../records/records.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { Retriever } from '../../retrieval/retriever.ts';
import type { Episode } from './protocol.ts';
import { Refusal } from './refusal.ts';
import { Scoring } from './scoring.ts';
import { itemAt } from '../../base/items.ts';

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

/** What an episode is run with. */
export interface Resolved {
  question: Question;
  overrides: SettingsOverride;
  groupId: string;
  /** Of the rollout. */
  seed: number;
  label?: string;
  /** Parts that the curriculum sets for the group instead of the run's own. */
  agent?: DrawnQuestion['agent'];
}

export interface EpisodeParts {
  settings: TrainSettings;
  runId: string;
  /** `train` questions are drawn from, `dev` questions are held out; an episode may name any of them. */
  questions: readonly (Question & { split?: string | undefined })[];
  retriever: Retriever;
  /** Where the curriculum continues; null: from the start. */
  curriculum: Json | null;
  /** Steps that the run made before. */
  startStep: number;
  /** Which of how many servers this one is. */
  shard: { index: number; of: number };
}

/** From what a trainer asks for to question, settings and seeds. */
export class Episodes {
  /** What is to be scored before the first draw. */
  readonly scoring: Scoring | null;
  readonly heldOut: readonly Question[];
  readonly train: readonly Question[];
  readonly #parts: EpisodeParts;
  readonly #byId: ReadonlyMap<string, Question>;
  readonly #sampled: SettingsOverride;
  /** Null where there are no questions to draw. */
  readonly #curriculum: Curriculum | null;
  #draws: Draws | null = null;

  /** @throws Error where the curriculum cannot be made, or not by several servers */
  constructor(parts: EpisodeParts) {
    const { settings, questions, runId } = parts;
    const ofSplit = (name: string): Question[] => questions.filter(({ split }) => split === name);
    this.#parts = parts;
    this.#byId = new Map(questions.map((question) => [question.id, question]));
    this.train = ofSplit('train');
    this.heldOut = heldOutSample(ofSplit('dev'), settings.heldOut.questions);
    this.#sampled = rolloutOverrides(settings, settings.temperature);
    this.#curriculum = this.train.length > 0 ? this.#create(parts.curriculum) : null;
    const curriculum = this.#curriculum;
    this.scoring =
      curriculum && isScored(curriculum) && curriculum.unscored.questions.length > 0
        ? new Scoring(settings, runId, curriculum)
        : null;
    this.#checkShards();
  }

  /** Each server draws all questions, and sees the rollouts of its own groups alone. */
  #checkShards(): void {
    const { shard, settings } = this.#parts;
    if (shard.of === 1) return;
    if (this.scoring)
      throw new Error(
        'curriculum.system: several servers cannot score the questions of a curriculum together; ' +
          'let one server do it, or give the scores of a run (experiment.json, curriculum)',
      );
    const { curriculum } = settings;
    const why =
      curriculum.system && declaredCurriculum(curriculum)?.needsOneServer(curriculum.system);
    if (why) throw new Error(why);
  }

  #create(state: Json | null): Curriculum {
    const { settings, retriever } = this.#parts;
    const curriculum = createCurriculum(settings, { questions: this.train, retriever });
    if (state !== null) curriculum.restore(state);
    return curriculum;
  }

  /** @throws Refusal for what is not there, not ready, or another server's */
  async resolve(episode: Episode): Promise<Resolved> {
    if (episode.draw !== undefined) return this.#draw(episode, episode.draw);
    if (episode.heldOut !== undefined) return this.#heldOutAt(episode, episode.heldOut);
    return this.#named(episode, episode.question ?? '');
  }

  async #draw({ id, index, step, group, groupSeed }: Episode, number: number): Promise<Resolved> {
    const curriculum = this.#curriculum;
    if (!curriculum)
      throw new Refusal(400, `rollout ${id}: there is no question of the split train to draw`);
    this.#checkShard(id, 'draw', number);
    if (this.scoring && this.scoring.left > 0)
      throw new Refusal(
        409,
        `rollout ${id}: the curriculum's questions are not scored yet (${this.scoring.left} rollouts are ` +
          'left); POST /v1/prepare hands them out',
      );
    this.#draws ??= this.#drawsOf(curriculum);
    const { drawn, groupId, seed } = await this.#draws.at(number, step);
    const { overrides, question, label, agent } = drawn;
    return {
      question,
      overrides: overrides ? this.#sampledWith(overrides) : this.#sampled,
      groupId: group ?? groupId,
      seed: deriveSeed(groupSeed ?? seed, 'rollout', index),
      label,
      agent,
    };
  }

  /** Draws from here on: the curriculum is ready. */
  #drawsOf(curriculum: Curriculum): Draws {
    const { settings, runId, startStep } = this.#parts;
    const state = structuredClone(curriculum.state());
    return new Draws(settings, runId, () => this.#create(state), startStep, curriculum);
  }

  #sampledWith(own: SettingsOverride): SettingsOverride {
    const { settings } = this.#parts;
    return rolloutOverrides(settings, settings.temperature, own);
  }

  #heldOutAt({ id, index, step, group, groupSeed }: Episode, place: number): Resolved {
    const question = this.heldOut[place];
    if (!question)
      throw new Refusal(
        400,
        `rollout ${id}: the held-out sample has ${this.heldOut.length} questions; there is no number ${place}`,
      );
    this.#checkShard(id, 'heldOut', place);
    const { overrides, seed } = heldOutRollout(this.#parts.settings, place);
    return {
      question,
      overrides,
      groupId: group ?? `${this.#parts.runId}-held-out-${step}-${place}`,
      seed: deriveSeed(groupSeed ?? seed, 'rollout', index),
    };
  }

  #named({ id, index, step, group, groupSeed, evaluate }: Episode, named: string): Resolved {
    const { settings, runId } = this.#parts;
    const question = this.#byId.get(named);
    if (!question)
      throw new Refusal(
        400,
        `rollout ${id}: there is no question ${JSON.stringify(named)} among ${this.#byId.size}`,
      );
    const groupId = group ?? `${runId}-${step}-${named}`;
    return {
      question,
      overrides: evaluate ? heldOutRollout(settings, 0).overrides : this.#sampled,
      groupId,
      seed: deriveSeed(groupSeed ?? deriveSeed(settings.seed, 'group', groupId), 'rollout', index),
    };
  }

  #checkShard(id: string, what: string, number: number): void {
    const { index, of } = this.#parts.shard;
    if (number % of === index) return;
    throw new Refusal(
      409,
      `rollout ${id}: ${what} ${number} is for the server of shard ${number % of}/${of}; this is ${index}/${of}`,
    );
  }

  /** A rollout of a draw ended: a curriculum may count what it searched. */
  observe(rollout: Rollout): void {
    this.#curriculum?.observe?.([[rollout]]);
  }

  /** What a rollout that scores questions runs with. */
  get scoringOverrides(): SettingsOverride {
    return this.#sampled;
  }
}
