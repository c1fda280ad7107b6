import { NumberField, PartSwitch, RateField, usePart } from '../fields/fields.tsx';

/** HRPO's gates, which are trained beside the factors. */
export const GateFields = () => {
  const on = usePart('adapter.gates');
  return (
    <>
      <PartSwitch
        path="adapter.gates"
        label="Gates of latent reasoning (HRPO)"
        title="While it thinks, the model reads each token mixed with what it expected; for recipes that ask for it"
        on={{ rMin: 0.99, rMax: 0.999, learningRate: 0.001, lambdaLearningRate: 0.01 }}
      />
      {on ? (
        <>
          <NumberField
            path="adapter.gates.rMin"
            label="a from"
            title="1 to 1: they stay shut, and it is GRPO"
            decimal
            step={0.01}
            min={0.01}
            max={1}
          />
          <NumberField path="adapter.gates.rMax" label="a to" decimal step={0.001} max={1} />
          <RateField path="adapter.gates.learningRate" label="Gates’ rate" />
          <RateField path="adapter.gates.lambdaLearningRate" label="Rate of Λ" />
        </>
      ) : null}
    </>
  );
};
