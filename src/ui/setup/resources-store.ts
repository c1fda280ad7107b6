import { create } from 'zustand';
import {
  NO_RESOURCES,
  resourcesSchema,
  type Endpoint,
  type Resources,
  type WebLlmModel,
} from '../../records/setup.ts';
import { remember, remembered } from '../kit/page/remembered.ts';

/** Servers and models that the user named. Remembered in this browser; API keys are not. */

const KEY = 'forage.resources';

const stored = (): Resources => {
  try {
    return resourcesSchema.parse(JSON.parse(remembered(KEY) ?? ''));
  } catch {
    return NO_RESOURCES;
  }
};

interface ResourcesStore {
  resources: Resources;
  /** By endpoint id, for as long as this tab is open. */
  keys: Record<string, string>;
}

/** Changed by the functions of this file alone; `ui/lab/connection.ts` tells the lab. */
export const useResources = create<ResourcesStore>()(() => ({ resources: stored(), keys: {} }));

useResources.subscribe(({ resources }, before) => {
  // A key that changed is nothing to be remembered.
  if (resources === before.resources) return;
  remember(KEY, JSON.stringify(resources));
});

const change = (part: Partial<Resources>): void =>
  useResources.setState(({ resources }) => ({ resources: { ...resources, ...part } }));

const withEntry = <T extends { id: string }>(list: readonly T[], entry: T): T[] =>
  list.some(({ id }) => id === entry.id)
    ? list.map((known) => (known.id === entry.id ? entry : known))
    : [...list, entry];

/** Adds a server, or replaces the one of its id. */
export const putEndpoint = (endpoint: Endpoint): void =>
  change({ endpoints: withEntry(useResources.getState().resources.endpoints, endpoint) });

/** Forgets a server. Its key stays in this tab, so that undoing this does not ask for it again. */
export const removeEndpoint = (id: string): void =>
  change({
    endpoints: useResources.getState().resources.endpoints.filter((entry) => entry.id !== id),
  });

/** Adds a model of one’s own, or replaces the one of its id. */
export const putWebLlmModel = (model: WebLlmModel): void =>
  change({ webllm: withEntry(useResources.getState().resources.webllm, model) });

/** Forgets a model of one’s own; its files in the browser’s cache are not deleted. */
export const removeWebLlmModel = (id: string): void =>
  change({ webllm: useResources.getState().resources.webllm.filter((entry) => entry.id !== id) });

/** Where WebLLM fetches weights and libraries; an absent field means the usual host. */
export const setMirror = (mirror: Resources['mirror']): void => change({ mirror });

/** An empty key takes it away. */
export const setKey = (endpoint: string, key: string): void =>
  useResources.setState(({ keys }) => {
    const { [endpoint]: _, ...rest } = keys;
    return { keys: key === '' ? rest : { ...rest, [endpoint]: key } };
  });
