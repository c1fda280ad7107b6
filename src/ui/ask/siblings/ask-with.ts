import { BUILT_IN_SETUP } from '../../../records/setup.ts';
import type { RunRecord } from '../../../lab/contract/records/runs.ts';
import { DEFAULT_SETTINGS, RECIPE_IDS } from '../../../lab/contract/settings.ts';
import { pickOf } from '../../kit/pick-of.ts';
import { isNarrow } from '../../kit/page/screen.ts';
import { useSetup } from '../../setup/setup-store.ts';
import { cancelRun, startRun, readAdapters } from '../store/actions.ts';
import { someSides, type AskSides } from '../store/asked-policy.ts';
import { ASK } from '../store/permalink.ts';
import { useAsk } from '../store/ask-store.ts';

/**
 * Asks with policies of a training run as its held-out questions are asked: same data, recipe and temperature. The
 * adapter brings the other settings of its run.
 * @param question id in the list; null: still to be chosen
 */
export const askWith = async (
  run: Pick<RunRecord, 'setup' | 'settings'>,
  sides: AskSides,
  question: string | null,
  go: (path: string) => void,
): Promise<void> => {
  await cancelRun();
  useAsk.getState().clear();
  useSetup.setState({ setup: run.setup ?? BUILT_IN_SETUP });
  void readAdapters();
  const { address, setAddress } = useAsk.getState();
  const { recipe, heldOut } = run.settings;
  setAddress({
    of: null,
    sides: someSides(sides),
    asked: question === null ? null : { kind: 'world', id: question },
    settings: {
      ...address.settings,
      recipe: pickOf(RECIPE_IDS, recipe) ?? DEFAULT_SETTINGS.recipe,
      temperature: Math.min(2, heldOut.temperature),
      rollouts: 1,
      mechanisms: {},
    },
    run: false,
    rollout: 0,
    step: null,
    forks: [],
  });
  useAsk.setState({ selection: null, pinned: false, setupOpen: question === null || !isNarrow() });
  go(ASK);
  if (question !== null) await startRun();
};
