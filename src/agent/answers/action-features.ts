import { ACTION_FEATURES, type ActionFeature } from '../../recipes/parts/reward-model.ts';
import { grounded, namesIn } from './evidence.ts';
import { f1Score } from './scores.ts';

/** What an action is chosen behind. */
export interface ActionState {
  question: string;
  /** Queries of the searches that were made. */
  queries: readonly string[];
  /** Title and text of every passage that was read. */
  passages: readonly string[];
}

export interface JudgedAction {
  kind: 'search' | 'answer' | 'none';
  /** The query, or the answer. */
  text: string;
  /** How many tokens it took. */
  tokens: number;
}

const shareOf = <T>(all: readonly T[], is: (one: T) => boolean): number =>
  all.length === 0 ? 0 : all.filter(is).length / all.length;

/** What a process reward model sees of an action, in the order of `ACTION_FEATURES`. */
export function actionFeatures(
  { kind, text, tokens }: JudgedAction,
  { question, queries, passages }: ActionState,
): number[] {
  const [asks, answers] = [kind === 'search', kind === 'answer'];
  const names = asks ? namesIn(text) : [];
  const inQuestion = (name: string): boolean => grounded(name, [question]);
  const inRead = (name: string): boolean => grounded(name, passages);
  const values: Record<ActionFeature, number> = {
    answers: Number(answers),
    answersFromRead: Number(answers && grounded(text, passages)),
    answersEarly: answers ? 1 / (1 + queries.length) : 0,
    unreadable: Number(kind === 'none' || text === ''),
    asksOfQuestion: Number(names.some(inQuestion)),
    asksOfRead: Number(names.some((name) => !inQuestion(name) && inRead(name))),
    asksOfUnknown: shareOf(names, (name) => !inQuestion(name) && !inRead(name)),
    repeats: asks ? Math.max(0, ...queries.map((query) => f1Score(text, [query]))) : 0,
    tokens: tokens / 32,
  };
  return ACTION_FEATURES.map((name) => values[name]);
}
