import { getRecipe } from '../../../recipes/index.ts';
import { BACKGROUND_MODES, REWARD_MODES, STIE_MODES } from '../../../runs/conductor/settings.ts';
import { useSetup } from '../../stores/setup-store.ts';
import { RateField, SelectField, useDraftValue } from '../fields.tsx';
import { Fold } from './Fold.tsx';

/** What the rollouts do otherwise than their recipe, and how the router learns. */
export const MechanismsFold = () => {
  const recipe = useDraftValue('recipe');
  const own = getRecipe(String(recipe)).settings;
  const training = useDraftValue('router.train');
  const alone = useSetup(({ setup }) => setup.source === 'local') && training === 'off';
  return (
    <Fold
      name="Mechanisms and router"
      paths={['overrides', 'router']}
      now={(settings) =>
        `${Object.keys(settings.overrides).length === 0 ? 'as the rollout recipe has them' : 'changed'}, router ${settings.router.train === 'off' ? 'not trained' : `trained ${settings.router.train}`}`
      }
    >
      <SelectField
        path="overrides.background.mode"
        label="RDRA background"
        choices={BACKGROUND_MODES}
        absent={`(${own.background.mode})`}
      />
      <SelectField
        path="overrides.stie.mode"
        label="STIE"
        choices={STIE_MODES}
        absent={`(${own.stie.mode})`}
      />
      <SelectField
        path="overrides.retrieval.source"
        label="Source of a search"
        choices={['router', 'local', 'web', 'both']}
        absent={`(${alone ? 'local' : own.retrieval.source})`}
      />
      <SelectField
        path="router.train"
        label="Train the router"
        choices={[
          { value: 'off', label: 'off' },
          { value: 'beside', label: 'beside the policy' },
          { value: 'alone', label: 'alone, the policy stays' },
        ]}
      />
      {training === 'off' ? null : (
        <>
          <RateField path="router.learningRate" label="Router’s rate" />
          <SelectField
            path="router.baseline"
            label="Router baseline"
            choices={['running-mean', 'none']}
          />
          <SelectField path="router.optimizer" label="Router optimizer" choices={['adam', 'sgd']} />
          <RateField path="router.entropy" label="Entropy bonus" />
        </>
      )}
      <SelectField
        path="overrides.nlr.reward"
        label="Router reward"
        choices={REWARD_MODES}
        absent={`(${own.nlr.reward})`}
      />
    </Fold>
  );
};
