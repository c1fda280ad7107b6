import type { ReactNode } from 'react';
import { LORA_TARGETS } from '../../policy/lora/spec.ts';
import { ESTIMATORS, type TrainSettings } from '../../learn/rl/settings.ts';
import { BACKGROUND_MODES, REWARD_MODES, STIE_MODES } from '../../runs/conductor/settings.ts';
import { getRecipe } from '../../recipes/index.ts';
import { plural } from '../lib/format.ts';
import { useDraft } from '../stores/train-draft.ts';
import {
  ManyField,
  NumberField,
  PartSwitch,
  RateField,
  SelectField,
  SwitchField,
  useDraftValue,
  useErrors,
  useSettings,
  usePart,
} from './fields.tsx';
import { WarmUpFields } from './WarmUpFields.tsx';

/** The settings that a preset usually leaves alone, folded by subject. */

/** How many of the settings below these paths differ from the preset, or are not allowed. */
const useMarks = (paths: readonly string[]) => {
  const below = (key: string) => paths.some((path) => key === path || key.startsWith(`${path}.`));
  const changed = useDraft(({ changes }) => Object.keys(changes).filter(below).length);
  const wrong = Object.keys(useErrors()).filter(below).length;
  return { changed, wrong };
};

const Fold = (props: {
  name: string;
  paths: readonly string[];
  /** The values in a few words, while it is folded. */
  now: (settings: TrainSettings) => string;
  children: ReactNode;
}) => {
  const settings = useSettings();
  const { changed, wrong } = useMarks(props.paths);
  return (
    <details className="fold" {...(wrong > 0 && { open: true })}>
      <summary>
        {props.name}
        {settings ? <span className="fold-now">{props.now(settings)}</span> : null}
        {changed > 0 ? <span className="tone-policy"> · {changed} changed</span> : null}
        {wrong > 0 ? <span className="tone-bad"> · ⚠ not allowed yet</span> : null}
      </summary>
      <div className="form-fields">{props.children}</div>
    </details>
  );
};

const Objective = () => {
  const clipped = usePart('objective.clip');
  const aggregation = useDraftValue('objective.aggregation');
  const place = useDraftValue('objective.kl.place');
  return (
    <Fold
      name="Estimator, loss and KL"
      paths={['objective', 'updates']}
      now={({ objective: { estimator, aggregation, clip, kl } }) =>
        `${estimator}, ${aggregation}, ${clip ? `clip ${clip.low} / ${clip.high}` : 'no clip'}, ${kl.place === 'off' ? 'no KL' : `${kl.form} ${kl.coefficient} in the ${kl.place}`}`
      }
    >
      <SelectField path="objective.estimator" label="Advantages" choices={ESTIMATORS} />
      <SelectField
        path="objective.aggregation"
        label="Aggregation"
        choices={['token-mean', 'sequence-mean', 'sum-over-constant']}
      />
      {aggregation === 'sum-over-constant' ? (
        <NumberField path="objective.constantLength" label="Constant, tokens" min={1} />
      ) : null}
      <NumberField
        path="updates"
        label="Updates a step"
        title="1 is on-policy: ratios are 1 and nothing is clipped"
        min={1}
        max={16}
      />
      <PartSwitch path="objective.clip" label="Clip the ratio" on={{ low: 0.2, high: 0.2 }} />
      {clipped ? (
        <>
          <NumberField path="objective.clip.low" label="Clip low" decimal step={0.01} />
          <NumberField path="objective.clip.high" label="Clip high" decimal step={0.01} />
        </>
      ) : null}
      <SelectField
        path="objective.kl.place"
        label="KL penalty"
        choices={[
          { value: 'off', label: 'off' },
          { value: 'loss', label: 'in the loss' },
          { value: 'reward', label: 'in the reward' },
        ]}
      />
      {place === 'off' ? null : (
        <>
          <SelectField path="objective.kl.form" label="KL estimate" choices={['k1', 'k2', 'k3']} />
          <RateField path="objective.kl.coefficient" label="KL coefficient" />
        </>
      )}
    </Fold>
  );
};

const Sampling = () => {
  const on = useDraftValue('dynamicSampling.on') === true;
  const overlong = usePart('overlong');
  return (
    <Fold
      name="Sampling"
      paths={['dynamicSampling', 'overlong', 'topP']}
      now={(settings) =>
        [
          `top-p ${settings.topP}`,
          settings.dynamicSampling.on
            ? `dynamic, by ${settings.dynamicSampling.by}, at most ${plural(settings.dynamicSampling.maxBatches, 'batch', 'batches')}`
            : 'one batch a step',
          settings.overlong ? `punished beyond ${settings.overlong.max} tokens` : null,
        ]
          .filter((part) => part !== null)
          .join(', ')
      }
    >
      <NumberField path="topP" label="top-p" decimal step={0.05} min={0} max={1} />
      <SwitchField
        path="dynamicSampling.on"
        label="Dynamic sampling"
        title="DAPO: groups whose rewards do not vary are drawn again"
      />
      {on ? (
        <>
          <SelectField
            path="dynamicSampling.by"
            label="Groups must vary in"
            choices={['reward', 'accuracy']}
          />
          <NumberField path="dynamicSampling.maxBatches" label="Batches at most" min={1} max={10} />
        </>
      ) : null}
      <PartSwitch
        path="overlong"
        label="Overlong shaping"
        title="DAPO: lengths beyond are punished softly"
        on={{ max: 512, buffer: 128, factor: 1 }}
      />
      {overlong ? (
        <>
          <NumberField path="overlong.max" label="Longest, tokens" min={1} />
          <NumberField path="overlong.buffer" label="Buffer, tokens" min={1} />
          <NumberField path="overlong.factor" label="Factor" decimal step={0.1} min={0} />
        </>
      ) : null}
    </Fold>
  );
};

const Adapter = () => (
  <Fold
    name="Adapter (LoRA)"
    paths={['adapter']}
    now={({ adapter }) =>
      `rank ${adapter.rank}, alpha ${adapter.alpha}, ${plural(adapter.targets.length, 'matrix', 'matrices')} a layer`
    }
  >
    <NumberField path="adapter.rank" label="Rank" min={1} max={256} />
    <NumberField path="adapter.alpha" label="Alpha" decimal min={1} />
    <ManyField path="adapter.targets" label="Matrices" choices={LORA_TARGETS} />
  </Fold>
);

const Optimizer = () => (
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
    <RateField path="optimizer.beta1" label="β1" />
    <RateField path="optimizer.beta2" label="β2" />
  </Fold>
);

const WarmUp = () => (
  <Fold
    name="Warm-up on your trajectories"
    paths={['warmUp']}
    now={({ warmUp }) => (warmUp ? `${plural(warmUp.updates, 'update')} first` : 'none')}
  >
    <WarmUpFields />
  </Fold>
);

const MIX = ['hard', 'medium', 'easy'] as const;

const Curriculum = () => {
  const kind = useDraftValue('curriculum.kind');
  return (
    <Fold
      name="Curriculum"
      paths={['curriculum']}
      now={({ curriculum }) =>
        curriculum.kind === 'difficulty'
          ? `difficulty, hard : medium : easy ${curriculum.mix.join(' : ')}`
          : curriculum.kind
      }
    >
      <SelectField
        path="curriculum.kind"
        label="Questions are drawn"
        choices={[
          { value: 'uniform', label: 'uniformly' },
          { value: 'difficulty', label: 'by difficulty (UR²)' },
          { value: 'gold-noise', label: 'by gold share and noise (KunLunBaizeRAG)' },
        ]}
      />
      {kind === 'difficulty' ? (
        <>
          <NumberField
            path="curriculum.scoringRollouts"
            label="Scored by, rollouts"
            title="Questions are scored before the first step"
            min={1}
          />
          <NumberField path="curriculum.pool" label="Questions scored" min={1} />
          <SelectField
            path="curriculum.coldStart"
            label="Stage 1 draws"
            choices={[
              { value: 'dropped', label: 'the dropped ones' },
              { value: 'all', label: 'the whole pool' },
            ]}
          />
          <SwitchField
            path="curriculum.taskMixing"
            label="Task mixing"
            title="UR²: medium and easy questions without retrieval"
          />
          {MIX.map((name, index) => (
            <NumberField
              key={name}
              path={`curriculum.mix.${index}`}
              label={`Parts ${name}`}
              decimal
              min={0}
            />
          ))}
        </>
      ) : null}
      {kind === 'gold-noise' ? (
        <>
          <NumberField
            path="curriculum.goldEpochs"
            label="Steps until gold"
            title="E of equation (15): steps until all is gold"
            min={1}
          />
          <NumberField
            path="curriculum.noise"
            label="Most noise"
            title="Share of a noisy result that is noise where α of (16) is 1"
            decimal
            step={0.1}
            min={0}
            max={1}
          />
          <SelectField
            path="curriculum.noiseBy"
            label="Noise grows by"
            title="What e of equation (16) counts"
            choices={[
              { value: 'epoch', label: 'step' },
              { value: 'retrievals', label: 'retrieval' },
            ]}
          />
        </>
      ) : null}
    </Fold>
  );
};

const Mechanisms = () => {
  const recipe = useDraftValue('recipe');
  const own = getRecipe(String(recipe)).settings;
  const training = useDraftValue('router.train');
  return (
    <Fold
      name="Mechanisms and router"
      paths={['overrides', 'router']}
      now={(settings) =>
        `${Object.keys(settings.overrides).length === 0 ? 'as the rollout recipe has them' : 'changed'}, router ${settings.router.train === 'off' ? 'not trained' : `trained ${settings.router.train}`}`
      }
    >
      <SelectField
        path="overrides.background.mode"
        label="RDRA background"
        choices={BACKGROUND_MODES}
        absent={`(${own.background.mode})`}
      />
      <SelectField
        path="overrides.stie.mode"
        label="STIE"
        choices={STIE_MODES}
        absent={`(${own.stie.mode})`}
      />
      <SelectField
        path="overrides.retrieval.source"
        label="Source of a search"
        choices={['router', 'local', 'web', 'both']}
        absent={`(${own.retrieval.source})`}
      />
      <SelectField
        path="router.train"
        label="Train the router"
        choices={[
          { value: 'off', label: 'off' },
          { value: 'beside', label: 'beside the policy' },
          { value: 'alone', label: 'alone, the policy stays' },
        ]}
      />
      {training === 'off' ? null : (
        <>
          <RateField path="router.learningRate" label="Router’s rate" />
          <SelectField
            path="router.baseline"
            label="Router baseline"
            choices={['running-mean', 'none']}
          />
          <SelectField path="router.optimizer" label="Router optimizer" choices={['adam', 'sgd']} />
          <RateField path="router.entropy" label="Entropy bonus" />
        </>
      )}
      <SelectField
        path="overrides.nlr.reward"
        label="Router reward"
        choices={REWARD_MODES}
        absent={`(${own.nlr.reward})`}
      />
    </Fold>
  );
};

const HeldOut = () => (
  <Fold
    name="Held-out score, checkpoints, control"
    paths={['heldOut', 'checkpointEvery', 'shuffleRewards']}
    now={({ heldOut, checkpointEvery, shuffleRewards }) =>
      `${heldOut.questions === 0 ? 'no held-out score' : `${plural(heldOut.questions, 'question')} every ${plural(heldOut.every, 'step')}`}, checkpoint every ${plural(checkpointEvery, 'step')}${shuffleRewards ? ', rewards shuffled' : ''}`
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
    <NumberField path="checkpointEvery" label="Checkpoint every, steps" min={1} />
    <SwitchField
      path="shuffleRewards"
      label="Shuffle rewards (control)"
      title="A control that should not learn"
    />
  </Fold>
);

export const AdvancedFields = () => {
  const problem = useErrors().overrides;
  return (
    <div className="folds">
      <Objective />
      <Sampling />
      <Adapter />
      <Optimizer />
      <WarmUp />
      <Curriculum />
      <Mechanisms />
      {problem === undefined ? null : <p className="field-error">{problem}</p>}
      <HeldOut />
    </div>
  );
};
