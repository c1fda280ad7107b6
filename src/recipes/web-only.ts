import type { SettingsOverride } from './parts/settings.ts';

/** Every search, the background's too, in the web source: a search engine of your own stands alone. */
export const WEB_ONLY = {
  retrieval: { source: 'web', honourTags: false },
  background: { source: 'web' },
} as const satisfies SettingsOverride;
