import { collapseText } from '../../../../agent/router/reward.ts';
import { collapseWarning } from '../../../../learn/router/collapse.ts';
import { LOCAL_METHODS } from '../../../../retrieval/methods/list.ts';
import { getRecipe } from '../../../../systems/index.ts';
import { MEASURED } from '../../../../learn/settings/overrides.ts';
import {
  BACKGROUND_MODES,
  PROTOCOLS,
  REWARD_MODES,
  STIE_MODES,
} from '../../../../lab/contract/settings.ts';
import {
  NumberField,
  RateField,
  SelectField,
  SwitchField,
  useDraftValue,
  useSettings,
} from '../fields/fields.tsx';
import { useSetup } from '../../../setup/setup-store.ts';
import { routerMode } from '../../charts/chart-specs.ts';
import { Fold } from './Fold.tsx';

/** Where the printed reward ends, beside the fields that choose it. */
const PrintedReward = () => {
  const settings = useSettings();
  const mode = settings && collapseWarning(settings) !== null ? routerMode(settings) : null;
  return mode ? <p className="fine whole-row">Printed reward: {collapseText(mode)}.</p> : null;
};

/** What the rollouts do otherwise than their recipe, and how the router learns. */
export const MechanismsFold = () => {
  const recipe = useDraftValue('recipe');
  const own = getRecipe(String(recipe)).settings;
  const training = useDraftValue('router.train');
  // While the router is trained its reward is the measured one, unless an override says otherwise.
  const reward = training === 'off' ? own.nlr : MEASURED;
  const setup = useSetup((state) => state.setup.source);
  // A setup of local passages alone has every source be local; what holds where nothing is said is named so.
  const alone = setup === 'local' && training === 'off';
  return (
    <Fold
      name="Mechanisms and router"
      paths={['overrides', 'router']}
      now={(settings) =>
        `${Object.keys(settings.overrides).length === 0 ? 'as the rollout recipe has them' : 'changed'}, router ${settings.router.train === 'off' ? 'not trained' : `trained ${settings.router.train}`}`
      }
    >
      <SelectField
        path="overrides.dialect"
        label="Protocol"
        title="How the model searches and answers; tools: by its own chat template and tool calls; worked-example: the prompt shows one question worked out"
        choices={PROTOCOLS}
        absent={`(${own.dialect ?? 'tags'})`}
      />
      <SelectField
        path="overrides.background.mode"
        label="RDRA background"
        choices={BACKGROUND_MODES}
        absent={`(${own.background.mode})`}
      />
      <SelectField
        path="overrides.background.source"
        label="Background from"
        choices={['router', 'local', 'web', 'both']}
        absent={`(${setup === 'local' ? 'local' : own.background.source})`}
      />
      <SelectField
        path="overrides.stie.mode"
        label="STIE"
        choices={STIE_MODES}
        absent={`(${own.stie.mode})`}
      />
      <SelectField
        path="overrides.stie.current"
        label="STIE: answer y_t"
        title="Which candidate is y_t; (10) can only fire where it is the first sample"
        choices={[
          { value: 'first-sample', label: 'the first sample' },
          { value: 'most-confident', label: 'the most confident' },
        ]}
        absent={`(${own.stie.current})`}
      />
      <SwitchField
        path="overrides.stie.overAnswers"
        label="STIE over answers"
        title="Candidate answers are probed and filtered after every search"
        absent={own.stie.overAnswers}
      />
      <SwitchField
        path="overrides.stie.overQueries"
        label="STIE over queries"
        title="A query too similar to the last three is refused"
        absent={own.stie.overQueries}
      />
      <SwitchField
        path="overrides.stie.overPassages"
        label="STIE over passages"
        title="Passages that an earlier result showed are left out of the next ones"
        absent={own.stie.overPassages ?? false}
      />
      <SelectField
        path="overrides.retrieval.method"
        label="Local search"
        title="How the local source is searched; clusters are KunLunBaizeRAG’s retriever"
        choices={LOCAL_METHODS.map(({ id, name }) => ({ value: id, label: name }))}
        absent="(as in the setup)"
      />
      <SelectField
        path="overrides.retrieval.source"
        label="Source of a search"
        choices={['router', 'local', 'web', 'both']}
        absent={`(${alone ? 'local' : own.retrieval.source})`}
      />
      <SwitchField
        path="overrides.retrieval.honourTags"
        label="The model’s own tags choose"
        title="A search in local or web tags goes there, whatever the router or a fixed source says"
        absent={own.retrieval.honourTags}
      />
      <SelectField
        path="overrides.nlr.coverage"
        label="Router sees local coverage"
        title="How much of a query the local index knows, one of the router’s features"
        choices={[
          { value: 'seen', label: 'yes' },
          { value: 'hidden', label: 'no' },
        ]}
        absent="(yes)"
      />
      <SelectField
        path="router.train"
        label="Train the router"
        choices={[
          { value: 'off', label: 'off' },
          { value: 'beside', label: 'with the model' },
          { value: 'alone', label: 'only the router' },
        ]}
      />
      {training === 'off' ? null : <RateField path="router.learningRate" label="Router’s rate" />}
      <SelectField
        path="overrides.nlr.reward"
        label="Router reward"
        title="R(a) of equation (20): as printed, or measured on each call"
        choices={REWARD_MODES}
        absent={`(${reward.reward})`}
      />
      <NumberField
        path="overrides.nlr.beta1"
        label="β1, efficiency"
        title="Factor of R_eff, the latency saved"
        decimal
        step={0.1}
        min={0}
        absent={reward.beta1}
      />
      <NumberField
        path="overrides.nlr.beta2"
        label="β2, information"
        title="Factor of R_info, the evidence brought"
        decimal
        step={0.1}
        min={0}
        absent={reward.beta2}
      />
      <PrintedReward />
    </Fold>
  );
};
