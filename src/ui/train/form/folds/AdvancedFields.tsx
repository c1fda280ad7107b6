import { plural } from '../../../kit/words/format.ts';
import {
  NumberField,
  RateField,
  SelectField,
  SwitchField,
  useErrors,
  ManyField,
  PartSwitch,
} from '../fields/fields.tsx';
import { CurriculumFold } from './CurriculumFold.tsx';
import { DemonstrationsFold } from './DemonstrationsFold.tsx';
import { MechanismsFold } from './MechanismsFold.tsx';
import { ObjectiveFold } from './ObjectiveFold.tsx';
import { Fold } from './Fold.tsx';
import { SamplingFold } from './SamplingFold.tsx';
import { WarmUpFold } from './WarmUpFold.tsx';
import { LORA_TARGETS } from '../../../../policy/lora/spec.ts';
import { declaredGates, verifiers } from '../../../../recipes/parts/training.ts';
import { useStartRun } from '../fields/start-from.ts';
import { SystemSwitches, ParamFields } from '../fields/ParamFields.tsx';
import { Fragment } from 'react';
import { definedRules } from '../../../../learn/objective.ts';
import { switchesOn } from '../../store/published-switches.ts';
import { PublishedSwitches } from './PublishedSwitches.tsx';

/** What systems change of the loss, each with its own parameters. */
const RuleFields = () =>
  [...definedRules].map(([id, { label, help = '', params }]) => {
    const path = `objective.rules.${id}`;
    return (
      <Fragment key={id}>
        <PartSwitch path={path} label={label} title={help} on={params.parse({})} />
        <ParamFields path={path} params={params} />
      </Fragment>
    );
  });

/** Switches that papers try on any system, by name and by their settings: terms of the loss, faulty verifiers. */
const SwitchesFold = () => (
  <Fold
    name="Switches of papers"
    paths={['verifier', 'objective.credit', 'objective.rules']}
    now={(settings) =>
      switchesOn(settings)
        .map(({ title }) => title)
        .join(', ') || 'none'
    }
  >
    {/* The switches of docs/methods.md, “Switches of training”: by name, then setting by setting. */}
    <PublishedSwitches />
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

/** What is trained. */
const AdapterFold = () => (
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
      <SystemSwitches path="adapter.gates" declared={declaredGates} />
    </>
  );
};

/** AdamW and its schedule; the learning rate stands among the plain settings. */
const OptimizerFold = () => (
  <Fold
    name="Optimizer"
    paths={[
      'optimizer.schedule',
      'optimizer.warmUpSteps',
      'optimizer.clipNorm',
      'optimizer.weightDecay',
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
  </Fold>
);

/** Scores beside training, snapshots, and a control. */
const HeldOutFold = () => (
  <Fold
    name="Held-out score, snapshots, control"
    paths={['heldOut', 'checkpointEvery', 'shuffleRewards']}
    now={({ heldOut, checkpointEvery, shuffleRewards }) =>
      `${heldOut.questions === 0 ? 'no held-out score' : `${plural(heldOut.questions, 'question')} every ${plural(heldOut.every, 'step')}`}, snapshot every ${plural(checkpointEvery, 'step')}${shuffleRewards ? ', rewards shuffled' : ''}`
    }
  >
    <NumberField
      path="heldOut.questions"
      label="Held-out questions"
      title="A fixed sample of the dev split; 0: none"
      min={0}
      max={1000}
    />
    <NumberField path="heldOut.every" label="Scored every, steps" min={1} />
    <NumberField path="heldOut.temperature" label="Temperature there" decimal step={0.1} min={0} />
    <NumberField path="checkpointEvery" label="Snapshot every, steps" min={1} />
    <SwitchField
      path="shuffleRewards"
      label="Shuffle rewards (control)"
      title="A control that should not learn"
    />
  </Fold>
);

/** The settings that a recipe usually leaves alone, folded by subject. */
export const AdvancedFields = () => {
  const problem = useErrors().overrides;
  return (
    <>
      {/* On a wide screen the first are below what is chosen first, and the others beside: about as high together. */}
      <div className="folds">
        <ObjectiveFold />
        <SamplingFold />
        <AdapterFold />
        <OptimizerFold />
      </div>
      <div className="folds beside">
        <SwitchesFold />
        <DemonstrationsFold />
        <WarmUpFold />
        <CurriculumFold />
        <MechanismsFold />
        {problem === undefined ? null : <p className="field-error">{problem}</p>}
        <HeldOutFold />
      </div>
    </>
  );
};
