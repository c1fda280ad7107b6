import { deriveSeed } from '../../base/random.ts';
import { createCurriculum } from '../../learn/curriculum/create.ts';
import { rolloutOverrides } from '../../learn/rl/collect.ts';
import { isScored } from '../../learn/curriculum/score-questions.ts';
import type { Curriculum, DrawnQuestion, Json } from '../../learn/rl/contracts.ts';
import { heldOutRollout, heldOutSample } from '../../learn/rl/held-out.ts';
import type { SettingsOverride } from '../../recipes/parts/settings.ts';
import { declaredCurriculum } from '../../recipes/parts/curriculum.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import type { Question } from '../../records/records.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { Retriever } from '../../retrieval/retriever.ts';
import { Draws } from './draws.ts';
import type { Episode } from './protocol.ts';
import { Refusal } from './refusal.ts';
import { Scoring } from './scoring.ts';

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
    const { temperature, topP } = settings;
    this.#sampled = rolloutOverrides(settings, { temperature, topP });
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
    const { temperature, topP } = settings;
    return rolloutOverrides(settings, { temperature, topP }, own);
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
