import type { SourceDefault } from '../../records/setup.ts';
import { parseTrainSettings } from '../../learn/settings/edit-settings.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { LOCAL_ONLY, WEB_ONLY } from '../../recipes/parts/settings.ts';
import { isObject } from '../../base/objects.ts';

const branch = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});

/**
 * The settings of a run that begins with custom sources: which of them is searched is written into
 * the settings, so that the run continues so whatever is chosen later. Searches and background are decided
 * apart: a source that the settings name for one of them stays, and leaves the other to the default. A
 * router that is to be trained is asked.
 */
export function withSource(
  settings: TrainSettings,
  { source }: { source: SourceDefault | 'web' },
): TrainSettings {
  if (source === 'recipe') return settings;
  const only = source === 'local' ? LOCAL_ONLY : WEB_ONLY;
  const { overrides, router } = settings;
  const retrieval = branch(overrides['retrieval']);
  const asked = router.train === 'off' ? (retrieval['source'] ?? source) : 'router';
  return parseTrainSettings({
    ...settings,
    overrides: {
      ...overrides,
      ...(asked === source && { retrieval: { ...only.retrieval, ...retrieval } }),
      background: { ...only.background, ...branch(overrides['background']) },
    },
  });
}
