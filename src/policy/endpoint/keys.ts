/** API keys by endpoint id. They live in memory only: gone with the tab, in no record and no address. */
const keys = new Map<string, string>();

export const setKey = (endpoint: string, key: string): void => {
  if (key === '') keys.delete(endpoint);
  else keys.set(endpoint, key);
};

export const keyOf = (endpoint: string): string => keys.get(endpoint) ?? '';
