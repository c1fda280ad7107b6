import type { SettingsOverride } from './parts/settings.ts';

/** All searches, background included, go to the local source, also those that a policy writes as `<web_search>`. */
export const LOCAL_ONLY = {
  retrieval: { source: 'local', honourTags: false },
  background: { source: 'local' },
} as const satisfies SettingsOverride;
