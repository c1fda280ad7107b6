import type { LocalSpec, Setup, SourceDefault, WebSpec } from '../../records/setup.ts';
import { useSetup } from './setup-store.ts';

/** Which collections a run searches and which questions it asks. */

/** Collections as the local source, with how they are searched. */
export type Collected = Extract<LocalSpec, { kind: 'collections' }>;

/** How collections are searched at first: by words, which needs no encoding. */
const FIRST: Omit<Collected, 'ids'> = {
  kind: 'collections',
  method: 'lexical',
  encoder: 'built-in',
  reranker: null,
};

/** The built-in web has no pages about an imported corpus; a web source that the user added may have some. */
const sourceBeside = (local: LocalSpec, web: WebSpec): SourceDefault =>
  local.kind === 'collections' && web.kind === 'built-in' ? 'local' : 'recipe';

/** Searches these collections; where a run searches stays as it was chosen. */
const putCollections = (ids: readonly string[], method: Omit<Collected, 'ids'>): void => {
  const { setup, change } = useSetup.getState();
  if (ids.length === 0) return change({ local: { kind: 'built-in' }, source: 'recipe' });
  const before = setup.local.kind === 'collections' ? setup.local : method;
  const local: LocalSpec = { ...before, ids: [...ids] };
  const source = setup.local.kind === 'collections' ? setup.source : sourceBeside(local, setup.web);
  change({ local, source });
};

/**
 * Searches these collections, or the built-in world where there is none. Runs search them alone unless
 * a web source of your own is set.
 * @param method how, where no collection was searched before
 */
export const searchCollections = (
  ids: readonly string[],
  method: Omit<Collected, 'ids'> = FIRST,
): void => {
  putCollections(ids, method);
  const { setup, change } = useSetup.getState();
  change({ source: sourceBeside(setup.local, setup.web) });
};

/** Asks another web. With it changes whether collections are searched alone. */
export const searchWeb = (web: WebSpec): void => {
  const { setup, change } = useSetup.getState();
  const changed = (web.kind === 'built-in') !== (setup.web.kind === 'built-in');
  change({ web, ...(changed && { source: sourceBeside(setup.local, web) }) });
};

/** Where runs search that name no source themselves. */
export const chooseSource = (source: SourceDefault): void => useSetup.getState().change({ source });

/** Changes how they are searched; nothing where the built-in world is. */
export const changeSearch = (part: Partial<Omit<Collected, 'kind' | 'ids'>>): void => {
  const store = useSetup.getState();
  const { setup } = store;
  if (setup.local.kind === 'collections') store.change({ local: { ...setup.local, ...part } });
};

/** Asks the questions of these collections, or the built-in world's where there is none. */
export const askQuestionsOf = (ids: readonly string[]): void =>
  useSetup.getState().change({
    questions: ids.length > 0 ? { kind: 'collections', ids: [...ids] } : { kind: 'built-in' },
  });

/** Ids of the collections whose questions are asked; empty for the built-in world. */
export const questionSetsOf = ({ questions }: Setup): readonly string[] =>
  questions.kind === 'collections' ? questions.ids : NONE;

const NONE: readonly string[] = [];

/** What a collection was used for, so that it can be put back if the collection is. */
export interface Uses {
  /** How it was searched; null: it was not. */
  searched: Omit<Collected, 'ids'> | null;
  asked: boolean;
}

/** A deleted collection is neither searched nor asked from. @returns whether it was, and how */
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

/** Uses a collection as one was used that it stands for. */
export const takeUp = (id: string, { searched, asked }: Uses): void => {
  const { local } = useSetup.getState().setup;
  const ids = local.kind === 'collections' ? local.ids : [];
  if (searched && !ids.includes(id)) putCollections([...ids, id], searched);
  const questionSets = questionSetsOf(useSetup.getState().setup);
  if (asked && !questionSets.includes(id)) askQuestionsOf([...questionSets, id]);
};
