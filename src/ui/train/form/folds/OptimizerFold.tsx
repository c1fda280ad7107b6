import { Term } from '../../../kit/words/explain/Term.tsx';
import { plural } from '../../../kit/words/format.ts';
import { NumberField, RateField, SelectField } from '../fields/fields.tsx';
import { Fold } from './Fold.tsx';

/** AdamW and its schedule; the learning rate stands among the plain settings. */
export const OptimizerFold = () => (
  <Fold
    name="Optimizer"
    paths={[
      'optimizer.schedule',
      'optimizer.warmUpSteps',
      'optimizer.clipNorm',
      'optimizer.weightDecay',
      'optimizer.beta1',
      'optimizer.beta2',
      'optimizer.eps',
    ]}
    now={({ optimizer }) =>
      `AdamW, ${optimizer.schedule}, ${plural(optimizer.warmUpSteps, 'step')} of warm-up, norm at most ${optimizer.clipNorm}`
    }
  >
    <SelectField path="optimizer.schedule" label="Schedule" choices={['constant', 'cosine']} />
    <NumberField path="optimizer.warmUpSteps" label="Warm-up, steps" min={0} />
    <NumberField
      path="optimizer.clipNorm"
      label="Norm at most"
      title="0: not clipped"
      decimal
      step={0.1}
      min={0}
    />
    <RateField path="optimizer.weightDecay" label="Weight decay" />
    <RateField path="optimizer.beta1" label={<Term id="moments">β1</Term>} />
    <RateField path="optimizer.beta2" label={<Term id="moments">β2</Term>} />
  </Fold>
);
