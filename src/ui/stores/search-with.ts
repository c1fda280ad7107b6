import type { LocalSpec } from '../../data/setup.ts';
import { useQuestionSets } from './question-sets.ts';
import { useSetup } from './setup-store.ts';

/** Which collections a run searches and which questions it asks. */

export type Collected = Extract<LocalSpec, { kind: 'collections' }>;

const FIRST: Omit<Collected, 'ids'> = {
  kind: 'collections',
  method: 'lexical',
  encoder: 'built-in',
  reranker: null,
};

/** Searches these collections, or the built-in world where there is none. */
export const searchCollections = (ids: readonly string[]): void => {
  const store = useSetup.getState();
  const { setup } = store;
  if (ids.length === 0) return store.change({ local: { kind: 'built-in' } });
  const before = setup.local.kind === 'collections' ? setup.local : FIRST;
  store.change({ local: { ...before, ids: [...ids] } });
};

/** Changes how they are searched; nothing where the built-in world is. */
export const changeSearch = (part: Partial<Omit<Collected, 'kind' | 'ids'>>): void => {
  const store = useSetup.getState();
  const { setup } = store;
  if (setup.local.kind === 'collections') store.change({ local: { ...setup.local, ...part } });
};

/** Asks the questions of these collections, or the built-in world's where there is none. */
export const askQuestionsOf = (ids: readonly string[]): void =>
  useQuestionSets.setState({ questionSets: [...ids] });

/** A deleted collection is neither searched nor asked from. */
export const forgetCollection = (id: string): void => {
  const { local } = useSetup.getState().setup;
  if (local.kind === 'collections' && local.ids.includes(id))
    searchCollections(local.ids.filter((one) => one !== id));
  const { questionSets } = useQuestionSets.getState();
  if (questionSets.includes(id)) askQuestionsOf(questionSets.filter((one) => one !== id));
};
