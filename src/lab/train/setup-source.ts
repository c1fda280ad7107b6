import type { Setup } from '../../records/setup.ts';
import { parseTrainSettings } from '../../learn/settings/edit-settings.ts';
import type { TrainSettings } from '../../recipes/training.ts';
import { LOCAL_ONLY } from '../../recipes/local-only.ts';

const isBranch = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const branch = (value: unknown): Record<string, unknown> => (isBranch(value) ? value : {});

/**
 * The settings of a run that begins with a setup: what the setup says of sources is written into
 * them, so that the run goes on so whatever is chosen later. Searches and background are decided
 * apart: a source that the settings name for one of them stays, and leaves the other to the setup. A
 * router that is to be trained is asked.
 */
export function withSource(
  settings: TrainSettings,
  { source }: Pick<Setup, 'source'>,
): TrainSettings {
  if (source !== 'local') return settings;
  const { overrides, router } = settings;
  const retrieval = branch(overrides['retrieval']);
  const asked = router.train === 'off' ? (retrieval['source'] ?? 'local') : 'router';
  return parseTrainSettings({
    ...settings,
    overrides: {
      ...overrides,
      ...(asked === 'local' && { retrieval: { ...LOCAL_ONLY.retrieval, ...retrieval } }),
      background: { ...LOCAL_ONLY.background, ...branch(overrides['background']) },
    },
  });
}
