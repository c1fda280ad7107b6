import type { Rollout } from '../../data/rollout.ts';
import { DEFAULT_SETTINGS, RECIPE_IDS } from '../../runs/conductor/settings.ts';
import { pickOf } from '../lib/pick-of.ts';
import { cancelRun } from './actions.ts';
import type { RolloutTable } from './apply-updates.ts';
import { lab } from './connection.ts';
import { useRun, type RolloutSource } from './run-store.ts';
import { useSetup } from './setup-store.ts';
import { useView } from './view-store.ts';

/** Rollouts that ended, as the table that Inspect shows. */
export const tableOf = (rollouts: readonly Rollout[]): RolloutTable => ({
  order: rollouts.map(({ id }) => id),
  byId: Object.fromEntries(rollouts.map((rollout) => [rollout.id, rollout])),
  finished: Object.fromEntries(rollouts.map(({ id }) => [id, true as const])),
});

/**
 * Opens the rollouts of one question of a training step in Inspect, the `focus`-th in front. What
 * runs there ends first; its rollouts would mix with these.
 */
export const inspectRollouts = async (
  rollouts: readonly Rollout[],
  source: RolloutSource,
  focus: number,
  go: (path: string) => void,
): Promise<void> => {
  const first = rollouts[0];
  if (!first) return;
  await cancelRun().catch(() => undefined);
  const asked = { kind: 'world' as const, id: first.question.id };
  const recipe = pickOf(RECIPE_IDS, first.recipe.id) ?? DEFAULT_SETTINGS.recipe;
  const { address, setAddress } = useView.getState();
  const runId = `step-${source.runId}-${source.step}`;
  const settings = { ...address.settings, recipe };
  useRun.setState({
    request: { runId, asked, settings, setup: useSetup.getState().setup },
    // Without the chain, until the world's own question is there.
    question: first.question,
    run: { runId, status: 'done', tokens: 0, tokensPerSecond: 0, failure: null },
    unknownNames: [],
    table: tableOf(rollouts),
    source,
    wanted: false,
  });
  setAddress({ asked, run: false, rollout: focus, step: null });
  useView.setState({ playing: false, selection: null, pinned: false, setupOpen: false });
  go('/');
  try {
    const question = await lab().question(first.question.id);
    if (question && useRun.getState().request?.runId === runId) useRun.setState({ question });
  } catch {
    // The world is not loaded; what the rollout says of its question stays.
  }
};
