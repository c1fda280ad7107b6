import { LORA_TARGETS } from '../../../../policy/lora/spec.ts';
import { plural } from '../../../kit/words/format.ts';
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
    <NumberField path="adapter.rank" label="Rank" min={1} max={256} />
    <NumberField path="adapter.alpha" label="Alpha" decimal min={1} />
    <ManyField path="adapter.targets" label="Matrices" choices={LORA_TARGETS} />
    <GateFields />
  </Fold>
);
