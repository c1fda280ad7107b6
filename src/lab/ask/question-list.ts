import { messageOf } from '../../base/errors.ts';
import type { Question } from '../../records/records.ts';
import type { QuestionsSpec } from '../../records/setup.ts';
import type { AskMessage, QuestionRow } from '../contract/ask.ts';

type ListedQuestion = Question & { split?: string | undefined };
type ById = ReadonlyMap<string, Question>;

const toRow = (question: ListedQuestion): QuestionRow => ({
  id: question.id,
  text: question.text,
  split: question.split ?? '',
  hops: question.hops ?? 0,
  type: question.type ?? null,
  localSuffices: question.localSuffices ?? null,
  supporting: question.supporting,
});

/** Test questions first: they are what the policy was never trained on. */
const SPLIT_ORDER = ['test', 'dev', 'train', ''];
const bySplit = (a: QuestionRow, b: QuestionRow): number =>
  SPLIT_ORDER.indexOf(a.split) - SPLIT_ORDER.indexOf(b.split);

/**
 * The questions of the page's list. Imported ones are read from storage, which takes a while, so a
 * look-up waits until those that were chosen last are read.
 */
export class QuestionList {
  readonly #read: (spec: QuestionsSpec) => Promise<readonly ListedQuestion[]>;
  readonly #send: (messages: AskMessage[]) => void;
  #byId: Promise<ById> = Promise.resolve(new Map());

  constructor(
    read: (spec: QuestionsSpec) => Promise<readonly ListedQuestion[]>,
    send: (messages: AskMessage[]) => void,
  ) {
    this.#read = read;
    this.#send = send;
  }

  /** Reads these questions and sends their rows; after a failure an empty list, and why. */
  show(spec: QuestionsSpec): void {
    const byId: Promise<ById> = this.#questions(spec).then(({ questions, problem }) => {
      // Others were chosen meanwhile.
      if (this.#byId === byId)
        this.#send([{ type: 'questions', rows: questions.map(toRow).sort(bySplit), problem }]);
      return new Map(questions.map((question) => [question.id, question]));
    });
    this.#byId = byId;
  }

  /** The question of this id in the list that was chosen last; null where it has none. */
  async find(id: string): Promise<Question | null> {
    for (;;) {
      const byId = this.#byId;
      const found = (await byId).get(id) ?? null;
      if (this.#byId === byId) return found;
    }
  }

  async #questions(
    spec: QuestionsSpec,
  ): Promise<{ questions: readonly ListedQuestion[]; problem: string | null }> {
    try {
      return { questions: await this.#read(spec), problem: null };
    } catch (error) {
      return { questions: [], problem: messageOf(error) };
    }
  }
}
