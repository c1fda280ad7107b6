import type { Mechanisms } from '../../../lab/contract/settings.ts';
import type { RecipeSettings } from '../../../recipes/parts/settings.ts';
import type { MechanismId } from '../../kit/rounds/round-words.ts';

/** Switching one mechanism of a run on or off, as the ablations of `src/evaluate/ablations.ts` do. */

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
