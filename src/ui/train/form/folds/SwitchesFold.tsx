import {
  NumberField,
  PartSwitch,
  SelectField,
  SwitchField,
  usePart,
  RateField,
} from '../fields/fields.tsx';
import { verifiers } from '../../../../recipes/parts/training.ts';
import { SystemSwitches } from '../fields/ParamFields.tsx';
import { Term } from '../../../kit/words/explain/Term.tsx';
import { switchesOn } from '../../store/published-switches.ts';
import { Fold } from './Fold.tsx';
import { PublishedSwitches } from './PublishedSwitches.tsx';

/** PPO's critic, which takes the place of the estimator. */
const CriticFields = () => {
  const on = usePart('critic');
  return (
    <>
      <PartSwitch
        path="critic"
        label="Critic (PPO)"
        title="A linear value head over the model’s hidden states; advantages come token by token by GAE"
        // What PPO begins with here; γ and λ of 1 make a token’s advantage the return less its value.
        on={{
          gamma: 1,
          lambda: 1,
          learningRate: 0.01,
          updates: 10,
          valueClip: 0.5,
          environment: 'skip',
        }}
      />
      {on ? (
        <>
          <NumberField
            path="critic.gamma"
            label={<Term id="gamma">γ</Term>}
            decimal
            step={0.01}
            min={0}
            max={1}
          />
          <NumberField path="critic.lambda" label="λ of GAE" decimal step={0.01} min={0} max={1} />
          <RateField path="critic.learningRate" label="Critic’s rate" />
          <NumberField path="critic.updates" label="Critic’s updates per step" min={1} max={200} />
          <NumberField path="critic.valueClip" label="Value clip" decimal step={0.1} />
          <SelectField
            path="critic.environment"
            label="Environment tokens"
            title="As released, they are in GAE, whitening and value loss"
            choices={[
              { value: 'skip', label: 'take no part' },
              { value: 'released', label: 'as released' },
            ]}
          />
        </>
      ) : null}
    </>
  );
};

/** Switches that papers try on any system, by name and by their settings: terms of the loss, faulty verifiers, a critic. */
export const SwitchesFold = () => (
  <Fold
    name="Critic and switches"
    paths={[
      'critic',
      'verifier',
      'objective.credit',
      'objective.surrogate',
      'objective.positiveNll',
      'objective.diversity',
      'objective.factuality',
      'objective.maskUnfinished',
    ]}
    now={(settings) =>
      [
        settings.critic ? 'with a critic' : 'no critic',
        ...switchesOn(settings).map(({ title }) => title),
        settings.objective.factuality === 'as-released' ? 'FSPO as released' : null,
      ]
        .filter(Boolean)
        .join(', ')
    }
  >
    {/* The switches of docs/methods.md, “Switches of training”: by name, then setting by setting. */}
    <PublishedSwitches />
    <CriticFields />
    <SelectField
      path="objective.credit"
      label="Credit of single searches"
      choices={[{ value: 'span', label: 'to their own tokens' }]}
      absent="(to the rollout)"
    />
    <SelectField
      path="objective.surrogate"
      label="Beyond the clip"
      title="GPPO keeps the gradient at the clip’s value; it needs two updates per step or more"
      choices={[{ value: 'gppo', label: 'gradient kept (GPPO)' }]}
      absent="(gradient 0, PPO)"
    />
    <NumberField
      path="objective.positiveNll"
      label="Likelihood of right ones"
      title="GPPO’s code has 0.1"
      decimal
      step={0.1}
      min={0}
      absent={0}
    />
    <NumberField
      path="objective.diversity"
      label="Weight of diversity"
      title="R1-zero-Div: 0.01"
      decimal
      step={0.01}
      min={0}
      absent={0}
    />
    <SelectField
      path="objective.factuality"
      label="Verdicts on thoughts"
      title="FSPO; the reward must be FSPO’s"
      choices={[
        { value: 'paper', label: 'turn their advantages' },
        { value: 'as-released', label: 'as released' },
      ]}
      absent="(do nothing)"
    />
    <SwitchField
      path="objective.maskUnfinished"
      label="No loss of unfinished rollouts"
      title="VerlTool: what ran out of tokens or turns teaches nothing"
    />
    <SystemSwitches path="verifier" declared={verifiers.declared} />
  </Fold>
);
