import { LORA_TARGETS } from '../../../../policy/lora/spec.ts';
import { plural } from '../../../kit/words/format.ts';
import { useStartRun } from '../fields/start-from.ts';
import { ManyField, NumberField } from '../fields/fields.tsx';
import { Fold } from './Fold.tsx';
import { GateFields } from './GateFields.tsx';

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
