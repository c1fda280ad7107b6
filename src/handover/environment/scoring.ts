import { itemAt } from '../../base/items.ts';
import { deriveSeed } from '../../base/random.ts';
import { mean } from '../../base/statistics.ts';
import { scoringGroup, type ScoredCurriculum } from '../../learn/curriculum/score-questions.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import type { Question } from '../../records/records.ts';

/** One of the repeated rollouts that score a question. */
export interface ScoringRollout {
  id: string;
  question: Question;
  groupId: string;
  /** Of the rollout. */
  seed: number;
}

/**
 * The rollouts that score a curriculum's questions before the first draw, handed out to the
 * sampling trainer. Names, seeds and scores are those of Forage's own loop.
 */
export class Scoring {
  readonly total: number;
  readonly #curriculum: Pick<ScoredCurriculum, 'addScores'>;
  readonly #size: number;
  /** Exact match by place of the question and member, as they come in. */
  readonly #scores: (number | null)[][];
  readonly #places: Map<string, { place: number; member: number }>;
  readonly #waiting: ScoringRollout[];
  #left: number;

  constructor(
    settings: TrainSettings,
    runId: string,
    curriculum: Pick<ScoredCurriculum, 'addScores' | 'unscored'>,
  ) {
    const { from, questions, size } = curriculum.unscored;
    this.#curriculum = curriculum;
    this.#size = size;
    this.total = questions.length * this.#size;
    this.#left = this.total;
    this.#scores = questions.map(() => Array.from({ length: this.#size }, () => null));
    this.#places = new Map();
    this.#waiting = questions.flatMap((question, place) =>
      Array.from({ length: this.#size }, (_, member): ScoringRollout => {
        const { groupId, seed } = scoringGroup(settings, runId, from + place);
        const id = `${groupId}-${member}`;
        this.#places.set(id, { place, member });
        return { id, question, groupId, seed: deriveSeed(seed, 'rollout', member) };
      }),
    );
  }

  /** Rollouts that have not ended. */
  get left(): number {
    return this.#left;
  }

  /** Hands out up to this many rollouts that nobody works on. */
  take(most: number): ScoringRollout[] {
    return this.#waiting.splice(0, most);
  }

  /** A rollout came to nothing: someone else is to run it. */
  giveBack(rollout: ScoringRollout): void {
    this.#waiting.push(rollout);
  }

  /** Adds a rollout's exact match; after the last one the curriculum gets its scores. */
  finish({ id }: Pick<ScoringRollout, 'id'>, em: number): void {
    const found = this.#places.get(id);
    const scores = found && itemAt(this.#scores, found.place, 'questions');
    if (!found || !scores || scores[found.member] !== null) return;
    scores[found.member] = em;
    this.#left -= 1;
    if (this.#left > 0) return;
    this.#curriculum.addScores(this.#scores.map((all) => mean(all.map((value) => value ?? 0))));
    this.#places.clear();
  }
}
