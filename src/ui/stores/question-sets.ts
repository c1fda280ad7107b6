import { z } from 'zod';
import { create } from 'zustand';

/** Collections whose questions are asked in place of the built-in world's. Remembered in this browser. */

const KEY = 'forage.question-sets';
const schema = z.array(z.string().min(1).max(200)).max(50);

/** What was chosen at the last visit; none where that cannot be read. */
export const parseQuestionSets = (text: string | null): string[] => {
  try {
    return schema.parse(JSON.parse(text ?? ''));
  } catch {
    return [];
  }
};

const stored = (): string | null => {
  try {
    return globalThis.localStorage?.getItem(KEY) ?? null;
  } catch {
    return null;
  }
};

interface QuestionSets {
  /** Ids of collections; empty for the built-in world. */
  questionSets: readonly string[];
}

export const useQuestionSets = create<QuestionSets>()(() => ({
  questionSets: parseQuestionSets(stored()),
}));

useQuestionSets.subscribe(({ questionSets }) => {
  try {
    globalThis.localStorage?.setItem(KEY, JSON.stringify(questionSets));
  } catch {
    // Not remembered where the browser allows no storage.
  }
});
