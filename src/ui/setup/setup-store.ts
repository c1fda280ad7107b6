import { create } from 'zustand';
import {
  BUILT_IN_SETUP,
  NO_RESOURCES,
  resourcesSchema,
  type Endpoint,
  type PolicyRef,
  type Resources,
  type Setup,
  type WebLlmModel,
} from '../../records/setup.ts';
import { setupSchema } from '../../retrieval/setup.ts';
import { remember, remembered } from '../kit/page/remembered.ts';

/** Setup of the next run: policy, sources, helpers; and configured servers and models. Stored in this browser. */

const KEY = 'forage.setup';
const RESOURCES_KEY = 'forage.resources';

const storedResources = (): Resources => {
  try {
    return resourcesSchema.parse(JSON.parse(remembered(RESOURCES_KEY) ?? ''));
  } catch {
    return NO_RESOURCES;
  }
};

/** The stored setup; the built-in one if it is missing or invalid. */
export const parseSetup = (text: string | null): Setup => {
  try {
    return setupSchema.parse(JSON.parse(text ?? ''));
  } catch {
    return BUILT_IN_SETUP;
  }
};

/** The summarizer that was chosen automatically for a recipe. A user's choice is another object. */
const BY_RECIPE: Setup['summarizer'] = { kind: 'extractive' };

/** What is stored: without the automatic summarizer. */
const lasting = (setup: Setup): Setup =>
  setup.summarizer === BY_RECIPE ? { ...setup, summarizer: { kind: 'off' } } : setup;

interface SetupStore {
  /** An address may replace it for a visit. */
  setup: Setup;
  change: (part: Partial<Setup>) => void;
  /** Configured servers and models; changed only by this file. */
  resources: Resources;
  /** API keys by endpoint id, while this tab is open: they are not stored. */
  keys: Record<string, string>;
}

/** `ui/lab/connection.ts` notifies the lab of changes. */
export const useSetup = create<SetupStore>()((set) => ({
  setup: parseSetup(remembered(KEY)),
  change: (part) => set(({ setup }) => ({ setup: { ...setup, ...part } })),
  resources: storedResources(),
  keys: {},
}));

useSetup.subscribe(({ setup, resources }, before) => {
  if (setup !== before.setup) remember(KEY, JSON.stringify(lasting(setup)));
  if (resources !== before.resources) remember(RESOURCES_KEY, JSON.stringify(resources));
});

/**
 * Chooses the extractive summarizer automatically if the recipe reads summaries and none was chosen;
 * removes it again otherwise, because with a summarizer every recipe would use summaries.
 */
export const fitSummarizer = (reads: boolean): void => {
  const { setup, change } = useSetup.getState();
  if (reads && setup.summarizer.kind === 'off') change({ summarizer: BY_RECIPE });
  if (!reads && setup.summarizer === BY_RECIPE) change({ summarizer: { kind: 'off' } });
};

/** Makes it the policy of the next run. */
export const choosePolicy = (policy: PolicyRef): void => useSetup.getState().change({ policy });

const changeResources = (part: Partial<Resources>): void =>
  useSetup.setState(({ resources }) => ({ resources: { ...resources, ...part } }));

const withEntry = <T extends { id: string }>(list: readonly T[], entry: T): T[] =>
  list.some(({ id }) => id === entry.id)
    ? list.map((known) => (known.id === entry.id ? entry : known))
    : [...list, entry];

/** Adds or replaces a server by id. */
export const putEndpoint = (endpoint: Endpoint): void =>
  changeResources({ endpoints: withEntry(useSetup.getState().resources.endpoints, endpoint) });

/** Removes a server. Its key stays in this tab for an undo. */
export const removeEndpoint = (id: string): void =>
  changeResources({
    endpoints: useSetup.getState().resources.endpoints.filter((entry) => entry.id !== id),
  });

/** Adds or replaces a custom model by id. */
export const putWebLlmModel = (model: WebLlmModel): void =>
  changeResources({ webllm: withEntry(useSetup.getState().resources.webllm, model) });

/** Removes a custom model; its files stay in the browser’s cache. */
export const removeWebLlmModel = (id: string): void =>
  changeResources({
    webllm: useSetup.getState().resources.webllm.filter((entry) => entry.id !== id),
  });

/** Mirrors for WebLLM's weights and libraries; an absent field means the usual host. */
export const setMirror = (mirror: Resources['mirror']): void => changeResources({ mirror });

/** An empty key removes it. */
export const setKey = (endpoint: string, key: string): void =>
  useSetup.setState(({ keys }) => {
    const { [endpoint]: _, ...rest } = keys;
    return { keys: key === '' ? rest : { ...rest, [endpoint]: key } };
  });
