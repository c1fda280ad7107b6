/** Answers per subject kept until the subject is gone, the latest few of each. */

const MOST = 6;

export class ResultCache<T> {
  readonly #answers = new WeakMap<object, Map<string, T>>();

  /** The answer that was worked out before, or a new one; what fails or is stopped is not kept. */
  async read(subject: object, question: string, work: () => Promise<T>): Promise<T> {
    const answers = this.#answers.get(subject) ?? new Map<string, T>();
    this.#answers.set(subject, answers);
    const known = answers.get(question);
    if (known !== undefined) return known;
    const answer = await work();
    answers.set(question, answer);
    for (const key of answers.keys()) if (answers.size > MOST) answers.delete(key);
    return answer;
  }
}
