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

export interface Uses {
  searched: boolean;
  asked: boolean;
}

/** A deleted collection is neither searched nor asked from. @returns whether it was */
export const forgetCollection = (id: string): Uses => {
  const { local } = useSetup.getState().setup;
  const searched = local.kind === 'collections' && local.ids.includes(id);
  if (searched) searchCollections(local.ids.filter((one) => one !== id));
  const { questionSets } = useQuestionSets.getState();
  const asked = questionSets.includes(id);
  if (asked) askQuestionsOf(questionSets.filter((one) => one !== id));
  return { searched, asked };
};

/** Uses a collection as one was used that it stands for. */
export const takeUp = (id: string, { searched, asked }: Uses): void => {
  const { local } = useSetup.getState().setup;
  const ids = local.kind === 'collections' ? local.ids : [];
  if (searched && !ids.includes(id)) searchCollections([...ids, id]);
  const { questionSets } = useQuestionSets.getState();
  if (asked && !questionSets.includes(id)) askQuestionsOf([...questionSets, id]);
};
