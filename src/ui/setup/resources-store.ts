import { create } from 'zustand';
import {
  NO_RESOURCES,
  resourcesSchema,
  type Endpoint,
  type Resources,
  type WebLlmModel,
} from '../../records/setup.ts';
import { remember, remembered } from '../kit/page/remembered.ts';

/** Configured servers and models. Stored in this browser; API keys are not. */

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
  /** By endpoint id, while this tab is open. */
  keys: Record<string, string>;
}

/** Changed only by this file; `ui/lab/connection.ts` notifies the lab. */
export const useResources = create<ResourcesStore>()(() => ({ resources: stored(), keys: {} }));

useResources.subscribe(({ resources }, before) => {
  // Key changes need no storing.
  if (resources === before.resources) return;
  remember(KEY, JSON.stringify(resources));
});

const change = (part: Partial<Resources>): void =>
  useResources.setState(({ resources }) => ({ resources: { ...resources, ...part } }));

const withEntry = <T extends { id: string }>(list: readonly T[], entry: T): T[] =>
  list.some(({ id }) => id === entry.id)
    ? list.map((known) => (known.id === entry.id ? entry : known))
    : [...list, entry];

/** Adds or replaces a server by id. */
export const putEndpoint = (endpoint: Endpoint): void =>
  change({ endpoints: withEntry(useResources.getState().resources.endpoints, endpoint) });

/** Removes a server. Its key stays in this tab for an undo. */
export const removeEndpoint = (id: string): void =>
  change({
    endpoints: useResources.getState().resources.endpoints.filter((entry) => entry.id !== id),
  });

/** Adds or replaces a custom model by id. */
export const putWebLlmModel = (model: WebLlmModel): void =>
  change({ webllm: withEntry(useResources.getState().resources.webllm, model) });

/** Removes a custom model; its files stay in the browser’s cache. */
export const removeWebLlmModel = (id: string): void =>
  change({ webllm: useResources.getState().resources.webllm.filter((entry) => entry.id !== id) });

/** Mirrors for WebLLM's weights and libraries; an absent field means the usual host. */
export const setMirror = (mirror: Resources['mirror']): void => change({ mirror });

/** An empty key removes it. */
export const setKey = (endpoint: string, key: string): void =>
  useResources.setState(({ keys }) => {
    const { [endpoint]: _, ...rest } = keys;
    return { keys: key === '' ? rest : { ...rest, [endpoint]: key } };
  });
