import { Term } from '../../../kit/words/explain/Term.tsx';
import { NumberField, PartSwitch, RateField, SelectField, usePart } from '../fields/fields.tsx';

/** PPO's critic, which takes the place of the estimator. */
export const CriticFields = () => {
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
