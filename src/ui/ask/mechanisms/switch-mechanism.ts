import type { RecipeSettings } from '../../../recipes/parts/settings.ts';
import type { MechanismId } from '../../kit/rounds/round-words.ts';
import { startRun } from '../store/actions.ts';
import { useRun } from '../store/run-store.ts';
import { useView } from '../store/view-store.ts';
import { outcomeOf } from './outcome.ts';
import { isOn, toggled } from './switches.ts';

/** Asks the question of the screen again with one mechanism switched. */
export const switchMechanism = (mechanism: MechanismId, own: RecipeSettings): void => {
  const { request, table } = useRun.getState();
  if (!request) return;
  const before = outcomeOf(table.order.flatMap((id) => table.byId[id] ?? []));
  const { settings, asked } = request;
  const mechanisms = toggled(mechanism, own, settings.mechanisms);
  useView.getState().setAddress({
    asked,
    settings: { ...settings, mechanisms },
    rollout: 0,
    step: null,
    forks: [],
  });
  void startRun();
  const after = useRun.getState().request;
  useRun.setState({
    comparison:
      before && after && after !== request
        ? { mechanism, wasOn: isOn(mechanism, own, settings.mechanisms), before, after }
        : null,
  });
};
