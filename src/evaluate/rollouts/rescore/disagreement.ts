import type { ImportedRollout } from '../../../formats/rollouts/shape/imported.ts';
import { outsideOf } from '../../../records/outside-answer.ts';
import { rescore } from './rescore.ts';
import { scorerById, type Scorer } from './scorers.ts';

/** Rollouts that scorers, or scorers and the file's judge, see differently. */

export interface Opinion {
  /** A scorer's id, or `judge`. */
  by: string;
  /** 0 the worst that it can say, 1 the best. */
  share: number;
}

export interface Disagreement {
  rollout: string;
  question: string;
  answer: string | null;
  /** Prose outside the tags in place of an answer. */
  outside?: string;
  /** Gold answers. */
  gold: string[];
  /** Best less worst opinion, 0 to 1. */
  spread: number;
  kindest: Opinion;
  harshest: Opinion;
  opinions: Opinion[];
}

/** Scorers of the answer alone: they mean the same thing and are asked first. */
export const ANSWER_SCORERS = ['em', 'f1', 'cover-em', 'sub-em'];

function opinionsOf(rollout: ImportedRollout, scorers: readonly Scorer[]): Opinion[] {
  const opinions = rescore(rollout, scorers).flatMap(({ scorer, share }) =>
    share === null ? [] : [{ by: scorer, share }],
  );
  const verdict = rollout.judge?.verdict ?? null;
  if (verdict !== null) opinions.push({ by: 'judge', share: Number(verdict) });
  return opinions;
}

/** Collects rollouts one by one; keeps those on which opinions are far apart. */
export class DisagreementQueue {
  readonly #scorers: readonly Scorer[];
  readonly #threshold: number;
  readonly #found: Disagreement[] = [];

  /**
   * @param scorers ids of those who are asked; the file's judge is where it has one
   * @param threshold least spread that counts, 0 to 1
   * @throws RangeError for a scorer that there is none of
   */
  constructor(scorers: readonly string[] = ANSWER_SCORERS, threshold = 0.5) {
    this.#scorers = scorers.map((id) => {
      const scorer = scorerById(id);
      if (!scorer) throw new RangeError(`there is no scorer "${id}"`);
      return scorer;
    });
    this.#threshold = threshold;
  }

  add(rollout: ImportedRollout): void {
    const opinions = opinionsOf(rollout, this.#scorers);
    const [first] = opinions;
    if (!first) return;
    const kindest = opinions.reduce((a, b) => (b.share > a.share ? b : a), first);
    const harshest = opinions.reduce((a, b) => (b.share < a.share ? b : a), first);
    const spread = kindest.share - harshest.share;
    if (spread === 0 || spread < this.#threshold) return;
    const { id, question, answer } = rollout;
    this.#found.push({
      rollout: id,
      question: question.text,
      answer,
      ...outsideOf(rollout),
      gold: question.answers,
      spread,
      kindest,
      harshest,
      opinions,
    });
  }

  /** The widest first; in order of arrival where they are equal. */
  result(): Disagreement[] {
    return [...this.#found].sort((a, b) => b.spread - a.spread);
  }
}
