import { getRecipe } from '../../../systems/index.ts';
import { withOverrides, type RecipeSettings } from '../../../recipes/parts/settings.ts';
import { Icon } from '../../kit/Icon.tsx';
import { MECHANISMS, type MechanismId } from '../../kit/rounds/round-words.ts';
import { useTrainedWith } from '../setup/trained-with.ts';
import { isRunning, useAsk } from '../store/ask-store.ts';
import { startRun } from '../store/actions.ts';
import { outcomeOf } from './outcome.ts';
import './mechanisms.css';
import type { Mechanisms } from '../../../lab/contract/settings.ts';

/** Switching one mechanism of a run on or off. */

/** The source that runs use, in the words of the form. */
const ROUTERS = {
  router: 'router',
  local: 'always-local',
  web: 'always-web',
  both: 'both',
} as const;

/** What the mechanisms of a run are set to: by the user, else by its recipe (`own`). */
const effective = (own: RecipeSettings, set: Mechanisms) =>
  ({
    rdra: set.background ?? own.background.mode,
    stie: set.stie ?? own.stie.mode,
    nlr: set.router ?? ROUTERS[own.retrieval.source],
  }) satisfies Record<MechanismId, string>;

/** Whether a mechanism acts in a run with these settings. */
export const isOn = (id: MechanismId, own: RecipeSettings, set: Mechanisms): boolean => {
  const value = effective(own, set)[id];
  return id === 'nlr' ? value === 'router' : value !== 'off';
};

const KEYS = { rdra: 'background', stie: 'stie', nlr: 'router' } as const;

const TOGGLED = {
  rdra: { on: 'shown-and-used-by-T', off: 'off' },
  stie: { on: 'corrected', off: 'off' },
  // Without routing, every search asks both sources.
  nlr: { on: 'router', off: 'both' },
} as const;

/** The settings with one mechanism switched; what the recipe does by itself is left out. */
export const toggled = (id: MechanismId, own: RecipeSettings, set: Mechanisms): Mechanisms => {
  const { [KEYS[id]]: _now, ...others } = set;
  const on = !isOn(id, own, set);
  if (isOn(id, own, others) === on) return others;
  return { ...others, [KEYS[id]]: TOGGLED[id][on ? 'on' : 'off'] };
};

const ORDER: readonly MechanismId[] = ['rdra', 'nlr', 'stie'];

/** Asks the question of the screen again with one mechanism switched. */
const switchMechanism = (mechanism: MechanismId, own: RecipeSettings): void => {
  const { request, table } = useAsk.getState();
  if (!request) return;
  const before = outcomeOf(table.order.flatMap((id) => table.byId[id] ?? []));
  const { settings, asked } = request;
  const mechanisms = toggled(mechanism, own, settings.mechanisms);
  useAsk.getState().setAddress({
    asked,
    settings: { ...settings, mechanisms },
    rollout: 0,
    step: null,
    forks: [],
  });
  void startRun();
  const after = useAsk.getState().request;
  useAsk.setState({
    comparison:
      before && after && after !== request
        ? { mechanism, wasOn: isOn(mechanism, own, settings.mechanisms), before, after }
        : null,
  });
};

/** The three mechanisms of the run on the screen: what their colours mean, and a switch for each. */
export const MechanismBar = () => {
  const request = useAsk((state) => state.request);
  const source = useAsk((state) => state.source);
  const running = useAsk((state) => isRunning(state.run));
  const trained = useTrainedWith();
  if (!request) return null;
  const { recipe, mechanisms } = request.settings;
  const own = withOverrides(getRecipe(recipe).settings, trained);
  const oneSource = request.setup.source === 'local';
  // Two policies are compared already; recorded rollouts have their own page.
  const switches = source === null && (request.policies?.length ?? 0) < 2;
  return (
    <div className="mechanism-bar" role="group" aria-label="Mechanisms">
      {switches
        ? ORDER.map((id) => {
            const on = isOn(id, own, mechanisms) && !(id === 'nlr' && oneSource);
            return (
              <button
                key={id}
                type="button"
                role="switch"
                className={`mechanism-switch of-${id}`}
                aria-checked={on}
                disabled={running || (id === 'nlr' && oneSource)}
                title={
                  id === 'nlr' && oneSource
                    ? 'There is only one source to search'
                    : `Asks again ${on ? 'without' : 'with'} it, and shows before and after`
                }
                onClick={() => switchMechanism(id, own)}
              >
                <span className="switch-knob" aria-hidden="true" />
                <b>{MECHANISMS[id].name}</b> <span>{MECHANISMS[id].does}</span>
              </button>
            );
          })
        : null}
      <span className="source-key of-local">
        <Icon name="local" size={13} /> local
      </span>
      <span className="source-key of-web">
        <Icon name="web" size={13} /> web
      </span>
    </div>
  );
};
