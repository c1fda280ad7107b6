import type { SettingsOverride } from './settings.ts';

/** Every search, the background's too, in the local source. */
export const LOCAL_ONLY = {
  retrieval: { source: 'local' },
  background: { source: 'local' },
} as const satisfies SettingsOverride;
