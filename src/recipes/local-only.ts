import type { SettingsOverride } from './parts/settings.ts';

/** Every search, the background's too, in the local source: a policy that writes `<web_search>` asks it as well. */
export const LOCAL_ONLY = {
  retrieval: { source: 'local', honourTags: false },
  background: { source: 'local' },
} as const satisfies SettingsOverride;
