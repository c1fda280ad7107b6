import type { SettingsOverride } from './parts/settings.ts';

/** All searches, background included, go to the web source, for a custom search engine only. */
export const WEB_ONLY = {
  retrieval: { source: 'web', honourTags: false },
  background: { source: 'web' },
} as const satisfies SettingsOverride;
