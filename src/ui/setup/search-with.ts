import type { LocalSpec, Setup, SourceDefault, WebSpec } from '../../records/setup.ts';
import { useSetup } from './setup-store.ts';

/** Which collections runs search, and which questions they use. */

/** Collections as the local source, with the search method. */
export type Collected = Extract<LocalSpec, { kind: 'collections' }>;

/** Default method: lexical, which needs no encoding. */
const FIRST: Omit<Collected, 'ids'> = {
  kind: 'collections',
  method: 'lexical',
  encoder: 'built-in',
  reranker: null,
};

/** The built-in web has no pages about imported passages; a custom web source may have some. */
const sourceBeside = (local: LocalSpec, web: WebSpec): SourceDefault =>
  local.kind === 'collections' && web.kind === 'built-in' ? 'local' : 'recipe';

/** Searches these collections with the current method. */
const putCollections = (ids: readonly string[], method: Omit<Collected, 'ids'>): void => {
  const { setup, change } = useSetup.getState();
  if (ids.length === 0) return change({ local: { kind: 'built-in' }, source: 'recipe' });
  const before = setup.local.kind === 'collections' ? setup.local : method;
  const local: LocalSpec = { ...before, ids: [...ids] };
  const source = setup.local.kind === 'collections' ? setup.source : sourceBeside(local, setup.web);
  change({ local, source });
};

/**
 * Searches these collections, or the built-in world if there are none. Runs then search only them,
 * unless there is a custom web source.
 * @param method if no collection was searched before
 */
export const searchCollections = (
  ids: readonly string[],
  method: Omit<Collected, 'ids'> = FIRST,
): void => {
  putCollections(ids, method);
  const { setup, change } = useSetup.getState();
  change({ source: sourceBeside(setup.local, setup.web) });
};

/** Changes the web source, and with it whether only collections are searched. */
export const searchWeb = (web: WebSpec): void => {
  const { setup, change } = useSetup.getState();
  const changed = (web.kind === 'built-in') !== (setup.web.kind === 'built-in');
  change({ web, ...(changed && { source: sourceBeside(setup.local, web) }) });
};

/** Default source of runs. */
export const chooseSource = (source: SourceDefault): void => useSetup.getState().change({ source });

/** Changes the search method; no effect for the built-in world. */
export const changeSearch = (part: Partial<Omit<Collected, 'kind' | 'ids'>>): void => {
  const store = useSetup.getState();
  const { setup } = store;
  if (setup.local.kind === 'collections') store.change({ local: { ...setup.local, ...part } });
};

/** Uses the questions of these collections, or the built-in world's if there are none. */
export const askQuestionsOf = (ids: readonly string[]): void =>
  useSetup.getState().change({
    questions: ids.length > 0 ? { kind: 'collections', ids: [...ids] } : { kind: 'built-in' },
  });

/** Ids of the collections whose questions are used; empty for the built-in world. */
export const questionSetsOf = ({ questions }: Setup): readonly string[] =>
  questions.kind === 'collections' ? questions.ids : NONE;

const NONE: readonly string[] = [];

/** The uses of a collection, to restore them with it. */
export interface Uses {
  /** Search method; null: not searched. */
  searched: Omit<Collected, 'ids'> | null;
  asked: boolean;
}

/**
 * Stops using a deleted collection.
 * @returns whether and how it was used
 */
export const forgetCollection = (id: string): Uses => {
  const { setup } = useSetup.getState();
  const { local } = setup;
  let searched: Uses['searched'] = null;
  if (local.kind === 'collections' && local.ids.includes(id)) {
    const { ids, ...method } = local;
    searched = method;
    putCollections(
      ids.filter((one) => one !== id),
      method,
    );
  }
  const questionSets = questionSetsOf(setup);
  const asked = questionSets.includes(id);
  if (asked) askQuestionsOf(questionSets.filter((one) => one !== id));
  return { searched, asked };
};

/** Uses a collection like the one it replaces. */
export const takeUp = (id: string, { searched, asked }: Uses): void => {
  const { local } = useSetup.getState().setup;
  const ids = local.kind === 'collections' ? local.ids : [];
  if (searched && !ids.includes(id)) putCollections([...ids, id], searched);
  const questionSets = questionSetsOf(useSetup.getState().setup);
  if (asked && !questionSets.includes(id)) askQuestionsOf([...questionSets, id]);
};
