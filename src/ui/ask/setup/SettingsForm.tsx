import { NumberInput } from '@mantine/core';
import { collapseText } from '../../../agent/router/reward.ts';
import {
  BACKGROUND_MODES,
  DEVICES,
  MAX_ROLLOUTS,
  type Mechanisms,
  PROTOCOLS,
  REWARD_MODES,
  ROUTER_MODES,
  type RunSettings,
  STIE_MODES,
  RECIPE_IDS,
} from '../../../lab/contract/settings.ts';
import { getRecipe, RECIPES } from '../../../systems/index.ts';
import { withOverrides } from '../../../recipes/parts/settings.ts';
import { PickField } from '../../kit/PickField.tsx';
import { useSetup } from '../../setup/setup-store.ts';
import { Term, Terms } from '../../kit/words/explain/Term.tsx';
import { useTrainedWith } from './trained-with.ts';
import { labelled } from '../../kit/labelled.tsx';
import { Select } from '../../kit/Select.tsx';
import { useId, useState } from 'react';
import { pickOf } from '../../kit/pick-of.ts';
import { RecipeSentence } from '../../setup/form/RecipeSentence.tsx';
import { useAsk } from '../store/ask-store.ts';

/** Changes the settings in the address and clears its `run`: the rollouts on the screen used the old ones. */
const change = (part: Partial<RunSettings>): void => {
  const { address, setAddress } = useAsk.getState();
  setAddress({ settings: { ...address.settings, ...part }, run: false });
};

/** A worked example in the prompt, and temperature 0, with which it was measured (training/studies/real-models.md). */
export const showExample = (): void => {
  const { mechanisms } = useAsk.getState().address.settings;
  change({ temperature: 0, mechanisms: { ...mechanisms, protocol: 'worked-example' } });
};

/** A field left to the recipe is absent from the settings, not undefined. */
const changeMechanism = <K extends keyof Mechanisms>(key: K, value: Mechanisms[K]): void => {
  const { mechanisms } = useAsk.getState().address.settings;
  const { [key]: _dropped, ...others } = mechanisms;
  change({ mechanisms: value === undefined ? others : { ...others, [key]: value } });
};

/** The mode of a mechanism; if none is set, the list shows the recipe's mode in brackets. */
const Choice = <V extends string>(props: {
  label: string;
  values: readonly V[];
  value: V | undefined;
  /** The recipe's value, used if nothing is set. */
  own: string;
  choose: (value: V | undefined) => void;
}) => (
  <PickField
    label={props.label}
    values={props.values}
    value={props.value}
    none={`(${props.own})`}
    onPick={props.choose}
    onNone={() => props.choose(undefined)}
  />
);

/** Undefined while a field is empty or not a number. */
const numeric = (value: string | number): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

/** The label of the recipe's value. */
const ROUTER_NAMES = {
  router: 'router',
  local: 'always-local',
  web: 'always-web',
  both: 'both',
} as const;

/** Overrides of the recipe; an unset field shows in brackets what the recipe, or the run of the adapter, sets. */
const Mechanism = () => {
  const { mechanisms, recipe } = useAsk((state) => state.address.settings);
  const own = withOverrides(getRecipe(recipe).settings, useTrainedWith());
  // A setup without a web source always searches the local passages, whatever the recipe says.
  const alone = useSetup(({ setup }) => setup.source === 'local');
  const usual = ROUTER_NAMES[alone ? 'local' : own.retrieval.source];
  const routes = (mechanisms.router ?? usual) === 'router';
  const printed = (mechanisms.reward ?? own.nlr.reward) === 'paper';
  return (
    <div className="form-grid mechanism-grid">
      <Choice
        label="RDRA background"
        choose={(background) => changeMechanism('background', background)}
        values={BACKGROUND_MODES}
        value={mechanisms.background}
        own={own.background.mode}
      />
      <Choice
        label="STIE"
        choose={(stie) => changeMechanism('stie', stie)}
        values={STIE_MODES}
        value={mechanisms.stie}
        own={own.stie.mode}
      />
      <Choice
        label="NLR: who chooses the source"
        choose={(router) => changeMechanism('router', router)}
        values={ROUTER_MODES}
        value={mechanisms.router}
        own={usual}
      />
      <Choice
        label="NLR reward"
        choose={(reward) => changeMechanism('reward', reward)}
        values={REWARD_MODES}
        value={mechanisms.reward}
        own={own.nlr.reward}
      />
      <Choice
        label="Protocol"
        choose={(protocol) => changeMechanism('protocol', protocol)}
        values={PROTOCOLS}
        value={mechanisms.protocol}
        own={own.dialect ?? 'tags'}
      />
      {routes && printed ? (
        <p className="fine whole-row">
          The reward as printed ignores the question: <Terms>{collapseText(own.nlr)}</Terms> (for a
          router trained with it).
        </p>
      ) : null}
      <NumberInput
        size="xs"
        label={
          <>
            Passages, <Term id="k">k</Term>
          </>
        }
        placeholder={`(${own.retrieval.k})`}
        min={1}
        max={10}
        value={mechanisms.k ?? ''}
        onChange={(value) => changeMechanism('k', numeric(value))}
      />
      <NumberInput
        size="xs"
        label="Added web delay"
        placeholder="0 ms"
        suffix=" ms"
        min={0}
        max={5000}
        step={50}
        value={mechanisms.webDelayMs ?? ''}
        onChange={(value) => changeMechanism('webDelayMs', numeric(value) || undefined)}
      />
    </div>
  );
};

/** Sets a number; an empty field keeps the previous value. */
const set = (key: 'rollouts' | 'seed') => (value: string | number) => {
  const number = numeric(value);
  if (number !== undefined) change({ [key]: number });
};

const CHOICES = RECIPES.map(({ id, title }) => ({ value: id, label: title }));

interface RecipeChoiceProps {
  recipe: RunSettings['recipe'];
  choose: (recipe: RunSettings['recipe']) => void;
}

/** All recipes with their sentences as a radio group: arrow keys choose, Tab goes to the papers. */
const Sentences = ({ recipe, choose }: RecipeChoiceProps) => {
  const id = useId();
  return (
    <div className="recipe-list" role="radiogroup" aria-label="What each of them does">
      {RECIPES.map((one) => (
        <div key={one.id} className="recipe-option">
          <label>
            <input
              type="radio"
              name={id}
              checked={one.id === recipe}
              aria-label={one.title}
              aria-describedby={`${id}-${one.id}`}
              onChange={() => choose(pickOf(RECIPE_IDS, one.id) ?? recipe)}
            />{' '}
            <b>{labelled(one.title).label}</b>
          </label>
          <span className="fine" id={`${id}-${one.id}`}>
            <RecipeSentence recipe={one} />
          </span>
        </div>
      ))}
    </div>
  );
};

/** The recipe of the rollouts: a list of names, or all recipes with a sentence each. */
const RecipeChoice = ({ recipe, choose }: RecipeChoiceProps) => {
  const [all, setAll] = useState(false);
  return (
    <>
      <Select
        size="xs"
        label="Recipe"
        value={recipe}
        data={CHOICES}
        onChange={(event) => choose(pickOf(RECIPE_IDS, event.currentTarget.value) ?? recipe)}
      />
      <p className="fine recipe-sentence" data-testid="recipe-sentence">
        <RecipeSentence recipe={getRecipe(recipe)} />
      </p>
      <details className="mechanisms" onToggle={(event) => setAll(event.currentTarget.open)}>
        <summary>All {RECIPES.length} recipes</summary>
        {/* Rendered when opened: each sentence is scanned for glossary terms. */}
        {all ? <Sentences recipe={recipe} choose={choose} /> : null}
      </details>
    </>
  );
};

/** Recipe, sampling and device. */
export const SettingsForm = () => {
  const settings = useAsk((state) => state.address.settings);
  const changed = Object.keys(settings.mechanisms).length;
  return (
    <div className="settings">
      <RecipeChoice recipe={settings.recipe} choose={(recipe) => change({ recipe })} />
      <div className="form-grid">
        <NumberInput
          size="xs"
          label="Rollouts"
          min={1}
          max={MAX_ROLLOUTS}
          allowDecimal={false}
          clampBehavior="strict"
          value={settings.rollouts}
          onChange={set('rollouts')}
        />
        <NumberInput
          size="xs"
          label="Temperature"
          min={0}
          max={2}
          step={0.1}
          decimalScale={2}
          clampBehavior="strict"
          // Empty: what its files say, or 1.
          placeholder="the model’s own"
          value={settings.temperature ?? ''}
          onChange={(value) => change({ temperature: numeric(value) ?? null })}
        />
        <NumberInput
          size="xs"
          label="Seed"
          min={0}
          max={0xffffffff}
          allowDecimal={false}
          clampBehavior="strict"
          value={settings.seed}
          onChange={set('seed')}
        />
        <PickField
          label="Device"
          values={DEVICES}
          value={settings.device}
          onPick={(device) => change({ device })}
        />
      </div>
      <details className="mechanisms" open={changed > 0}>
        <summary>
          RDRA, STIE, NLR{changed > 0 ? ` · ${changed} set by you` : ': as in the recipe'}
        </summary>
        <Mechanism />
      </details>
    </div>
  );
};
