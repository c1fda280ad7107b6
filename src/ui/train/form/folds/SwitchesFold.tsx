import { Fragment } from 'react';
import { definedRules } from '../../../../learn/objective.ts';
import { NumberField, PartSwitch, SelectField, usePart, RateField } from '../fields/fields.tsx';
import { CRITIC } from '../../../../recipes/parts/training-base.ts';
import { verifiers } from '../../../../recipes/parts/training.ts';
import { ParamFields, SystemSwitches } from '../fields/ParamFields.tsx';
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
        // γ and λ of 1 make a token’s advantage the return less its value.
        on={CRITIC}
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

/** What systems change of the loss, each with its own parameters. */
const RuleFields = () =>
  [...definedRules()].map(([id, { label, help = '', params }]) => {
    const path = `objective.rules.${id}`;
    return (
      <Fragment key={id}>
        <PartSwitch path={path} label={label} title={help} on={params.parse({})} />
        <ParamFields path={path} params={params} />
      </Fragment>
    );
  });

/** Switches that papers try on any system, by name and by their settings: terms of the loss, faulty verifiers, a critic. */
export const SwitchesFold = () => (
  <Fold
    name="Critic and switches"
    paths={['critic', 'verifier', 'objective.credit', 'objective.rules']}
    now={(settings) =>
      [
        settings.critic ? 'with a critic' : 'no critic',
        ...switchesOn(settings).map(({ title }) => title),
      ].join(', ')
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
    <RuleFields />
    <SystemSwitches path="verifier" declared={verifiers.declared} />
  </Fold>
);
