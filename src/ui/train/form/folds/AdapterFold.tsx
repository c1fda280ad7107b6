import { LORA_TARGETS } from '../../../../policy/lora/spec.ts';
import { plural } from '../../../kit/words/format.ts';
import { useStartRun } from '../fields/start-from.ts';
import { ManyField, NumberField, PartSwitch, RateField, usePart } from '../fields/fields.tsx';
import { Fold } from './Fold.tsx';

/** What is trained. */
export const AdapterFold = () => (
  <Fold
    name="Adapter (LoRA)"
    paths={['adapter']}
    now={({ adapter }) =>
      `rank ${adapter.rank}, alpha ${adapter.alpha}, ${plural(adapter.targets.length, 'matrix', 'matrices')} a layer${adapter.gates ? ', with gates' : ''}`
    }
  >
    <Shape />
  </Fold>
);

/** HRPO's gates, which are trained beside the factors. */
const GateFields = () => {
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

/** Rank, scale and matrices; fixed where the run starts from an adapter. */
const Shape = () => {
  const run = useStartRun();
  if (run)
    return (
      <p className="fine">
        The shape is that of the adapter of “{run.name}”, which this run starts from.
      </p>
    );
  return (
    <>
      <NumberField path="adapter.rank" label="Rank" min={1} max={256} />
      <NumberField path="adapter.alpha" label="Alpha" decimal min={1} />
      <ManyField path="adapter.targets" label="Matrices" choices={LORA_TARGETS} />
      <GateFields />
    </>
  );
};
