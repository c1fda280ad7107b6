import type { PolicyInfo } from '../../policy/policy.ts';
import { mergeOverrides, type SettingsOverride } from '../../recipes/parts/settings.ts';

/** Questions are asked with the sampling that the checkpoint's authors name, except for what the user set. */
export const askedWith = (
  { sampling }: Pick<PolicyInfo, 'sampling'>,
  over: SettingsOverride,
): SettingsOverride => (sampling ? mergeOverrides({ sampling }, over) : over);
