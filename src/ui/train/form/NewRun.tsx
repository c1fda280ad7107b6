import { Button, TextInput } from '@mantine/core';
import { Select } from '../../kit/Select.tsx';
import { useEffect, useLayoutEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { useLocation, Link } from 'wouter';
import { DEVICES } from '../../../lab/contract/settings.ts';
import { keepsFiles, NO_FILES } from '../../../lab/storage/files-of-site.ts';
import { asksForSummaries } from '../../../learn/rl/trainable.ts';
import { countOwn } from '../../../learn/trajectories/count-own.ts';
import { TRAININGS, findTraining } from '../../../systems/index.ts';
import type { TrainSettings } from '../../../recipes/parts/training.ts';
import { pickOf } from '../../kit/pick-of.ts';
import { UndoBar } from '../../kit/UndoBar.tsx';
import { plural, formatCount } from '../../kit/words/format.ts';
import { Unsummarized } from '../../setup/form/Unsummarized.tsx';
import { Sentence, AboutPaper } from '../../setup/form/AboutPaper.tsx';
import { WorksWith } from '../../setup/form/WorksWith.tsx';
import { ExportButton } from '../../setup/export/ExportButton.tsx';
import { useSetup } from '../../setup/setup-store.ts';
import { useFitSummarizer } from '../../setup/use-fit-summarizer.ts';
import { isStored } from '../../../recipes/parts/stage-loss.ts';
import { openDemonstrations } from '../store/demonstrations.ts';
import { cancelDemonstrations } from '../store/make-demonstrations.ts';
import { startTraining } from '../store/train-actions.ts';
import { formatTrainAddress } from '../store/train-address.ts';
import {
  checkDraft,
  chooseTraining,
  rawSettings,
  LOOP_CHOICES,
  resetDraft,
  undoReplace,
  useTrainForm,
  forgetReplaced,
  editDraft,
  withoutFaults,
  changeDraft,
} from '../store/train-draft.ts';
import { startOf, useStartRun, withShapeOf, useStartRuns } from './fields/start-from.ts';
import { trainingRun, useTrain, visibleRuns } from '../store/train-store.ts';
import { tryName } from '../store/try-run.ts';
import { AdvancedFields } from './folds/AdvancedFields.tsx';
import { FormState, NumberField, RateField, SelectField } from './fields/fields.tsx';
import { Estimate, useEstimate, useTry, type Answer } from './Estimate.tsx';
import { StageFields } from './fields/StageFields.tsx';
import { SweepPanel } from './SweepPanel.tsx';
import { Terms } from '../../kit/words/explain/Term.tsx';
import { importOffered, offerKey } from '../../models/offer-actions.ts';
import { importedRun, offersFor } from '../../models/offered.ts';
import { useModels } from '../../models/store/models-store.ts';
import { useShallow } from 'zustand/react/shallow';
import { useCollections } from '../../corpus/store/collections-store.ts';
import { questionSetsOf } from '../../setup/search-with.ts';
import { rewardFormula } from '../../../learn/rewards/formulas.ts';
import { RecipeSentence } from '../../setup/form/RecipeSentence.tsx';
import { Expected } from './Expected.tsx';
import { isBeside, watchBeside } from '../../kit/page/screen.ts';
import { useFold } from '../../kit/page/use-fold.ts';

/** The reward of each stage as a formula, with where it stands. */
const Formulas = ({ stages }: { stages: TrainSettings['stages'] }) => (
  <>
    {stages.map(({ reward, weights }, index) => {
      const found = rewardFormula(reward, weights);
      return found ? (
        <p key={index} data-testid="reward-formula">
          {stages.length > 1 ? `Reward, stage ${index + 1}: ` : 'Reward: '}
          {found.formula ? (
            <span className="formula">
              <Terms>{found.formula}</Terms>
            </span>
          ) : (
            'as its source says'
          )}{' '}
          <span className="fine">({found.source})</span>
        </p>
      ) : null;
    })}
  </>
);

const watch = (tell: () => void): (() => void) => watchBeside(tell);

/** What the chosen recipe is: one sentence, its paper, its parts, and where it departs from it. */
const RecipeCard = (props: {
  training: string;
  /** Null while a field is not allowed. */
  settings: TrainSettings | null;
}) => {
  const { training, settings } = props;
  const found = findTraining(training);
  const fold = useFold();
  // There it has a column of its own, so that nothing of it is folded away.
  const beside = useSyncExternalStore(watch, isBeside, isBeside);
  if (!found) return null;
  const { title, about } = found.recipe;
  return (
    <section className="recipe-card" aria-label={`Recipe: ${title}`}>
      <p>
        <b>
          {title} · <Terms>{found.variant.title}</Terms>.
        </b>{' '}
        <RecipeSentence recipe={found.recipe} />
      </p>
      {settings ? <Formulas stages={settings.stages} /> : null}
      <Expected training={training} start={settings?.start} />
      {!about ? null : beside ? (
        <AboutPaper id={found.recipe.id} about={about} />
      ) : (
        <details {...fold}>
          <summary>
            Parts and {plural(about.differences.length, 'difference')} from the paper
          </summary>
          <AboutPaper id={found.recipe.id} about={about} />
        </details>
      )}
    </section>
  );
};

/**
 * The built-in policy was trained on the built-in world alone. A cold start on its own right rollouts may
 * find none elsewhere, and the run ends there: said before it is started.
 */
const WarmUpNeedsRight = ({ settings }: { settings: TrainSettings | null }) => {
  const builtIn = useSetup(({ setup }) => setup.policy.kind === 'built-in');
  if (!builtIn || !settings?.warmUp?.own) return null;
  return (
    <p className="warn" data-testid="warm-up-needs-right">
      ⚠ The cold start learns from the model’s own correct answers, and the built-in model knows
      only the built-in world. It may answer none of your questions correctly; the run then ends
      before its first step. Choose another model under “Model and data”, a file of trajectories
      under “Cold start, then RL”, or{' '}
      <button type="button" className="link" onClick={() => changeDraft('warmUp', null)}>
        leave the cold start out
      </button>
      .
    </p>
  );
};

/** What the run trains on where it is the user's own, or how to get there. */
const OwnData = ({ settings }: { settings: TrainSettings | null }) => {
  // Compared id by id: another list of the same ones is not a change.
  const chosen = useSetup(useShallow(({ setup }) => questionSetsOf(setup)));
  const local = useSetup(({ setup }) => setup.local);
  const collections = useCollections((state) => state.collections);
  const own = collections.filter(({ questions }) => questions > 0);
  if (chosen.length > 0) {
    const asked = collections.filter(({ id }) => chosen.includes(id));
    const gone = chosen.length - asked.length;
    const questions = asked.reduce((sum, one) => sum + one.questions, 0);
    if (gone > 0)
      return (
        <p className="warn">
          ⚠ {plural(gone, 'chosen collection')} of questions {gone === 1 ? 'is' : 'are'} not here
          any more. Choose others under “Model and data”, or{' '}
          <Link href="/corpus">import them again</Link>.
        </p>
      );
    return (
      <>
        <p className="fine" data-testid="own-data">
          Trains on {formatCount(questions)} of your questions
          {local.kind === 'collections' ? ' and searches your passages' : ''}. They go where the
          field “split” of their file puts them (train, dev or test); without it, by a hash of their
          ids, 70 % are trained on, 15 % are held out for the curve, and 15 % stay untouched for a
          test.
        </p>
        <WarmUpNeedsRight settings={settings} />
      </>
    );
  }
  return (
    <p className="fine" data-testid="own-data">
      {own.length === 0 ? (
        <>
          Trains on the built-in world. To train on your own questions and passages,{' '}
          <Link href="/corpus">import them on Corpus</Link> and choose them here.
        </>
      ) : (
        <>
          Trains on the built-in world. {plural(own.length, 'collection')} of your questions can be
          chosen under “Model and data”; <Link href="/corpus">import more</Link>.
        </>
      )}
    </p>
  );
};

const NEW = '';

/** The cold start that comes with Forage for the chosen model, while it is not imported. */
const Offered = () => {
  const policy = useSetup(({ setup }) => setup.policy);
  const checkpoint = useModels(({ checkpoints }) =>
    policy.kind === 'checkpoint' ? checkpoints.find(({ id }) => id === policy.id) : undefined,
  );
  // The one with the least training: what RL is to teach is not in it yet.
  const offered = checkpoint ? offersFor(checkpoint).at(-1) : undefined;
  const imported = useTrain(
    ({ runs }) => offered && checkpoint && importedRun(runs, offered, checkpoint.id) !== undefined,
  );
  const state = useModels(({ offers }) =>
    checkpoint && offered ? offers[offerKey(checkpoint.id, offered)] : undefined,
  );
  if (!offered || !checkpoint || imported) return null;
  const take = async (): Promise<void> => {
    await importOffered(checkpoint.id, offered);
    const run = importedRun(useTrain.getState().runs, offered, checkpoint.id);
    if (run) editDraft({ startFrom: run.id });
  };
  return (
    <p className="fine">
      {state && state.status !== 'failed' ? (
        `Importing ${offered.name} …`
      ) : (
        <>
          {offered.name} comes with Forage.{' '}
          <button type="button" className="link" onClick={() => void take()}>
            Import it and start from it
          </button>
          {state?.status === 'failed' ? ` ${state.message}` : ''}
        </>
      )}
    </p>
  );
};

/** A new adapter, or one that was trained on the chosen model. */
const StartFromField = () => {
  const runs = useStartRuns();
  const run = useStartRun();
  return (
    <>
      <div className="form-fields">
        <Select
          size="xs"
          className="wide"
          label="Start from"
          title="The run trains a copy of it; the other run stays as it is"
          value={run?.id ?? NEW}
          data={[
            { value: NEW, label: 'a new adapter' },
            ...runs.map(({ id, name, checkpointStep }) => ({
              value: id,
              label: `${name}${checkpointStep ? `, step ${checkpointStep}` : ''}`,
            })),
          ]}
          onChange={({ currentTarget: { value } }) =>
            editDraft({ startFrom: value === NEW ? undefined : value })
          }
        />
      </div>
      <Offered />
    </>
  );
};

/** What recipes are called in the list: the system, then how it is trained. */
const TRAINING_CHOICES = TRAININGS.map(({ id, recipe, variant }) => ({
  value: id,
  label: `${recipe.title} · ${variant.title}`,
}));

/** What most runs change: recipe, name, device, and how much is sampled a step. */
const Basics = ({ settings }: { settings: TrainSettings | null }) => {
  const { training, name, device } = useTrainForm(({ draft }) => draft);
  const differences = findTraining(training)?.variant.differences;
  return (
    <>
      <div className="form-fields">
        <Select
          size="xs"
          className="wide"
          label="Recipe"
          value={training}
          data={TRAINING_CHOICES}
          onChange={(event) => chooseTraining(event.currentTarget.value)}
        />
        <SelectField wide path="recipe" label="Rollout system" choices={LOOP_CHOICES} />
        <TextInput
          size="xs"
          label="Name"
          placeholder="(from the recipe)"
          maxLength={80}
          value={name}
          onChange={(event) => editDraft({ name: event.currentTarget.value })}
        />
        <Select
          size="xs"
          label="Device"
          title="Training runs on WASM; on WebGPU where the lab can"
          value={device}
          data={[...DEVICES]}
          onChange={(event) =>
            editDraft({ device: pickOf(DEVICES, event.currentTarget.value) ?? 'auto' })
          }
        />
      </div>
      <StartFromField />
      <RecipeCard training={training} settings={settings} />
      {differences === undefined ? null : (
        <p className="fine">
          Differs from its source: <Sentence text={differences} />
        </p>
      )}
      <div className="form-fields">
        <NumberField
          path="steps"
          label="Steps"
          title="Of reinforcement learning; 0: a cold start only"
          min={0}
        />
        <NumberField path="questions" label="Questions per step" min={1} max={256} />
        <NumberField path="groupSize" label="Rollouts per question" min={1} max={64} />
        <NumberField
          path="temperature"
          label="Temperature"
          title="Log-probabilities of the loss are of the same temperature"
          decimal
          step={0.1}
        />
        <RateField path="optimizer.learningRate" label="Learning rate" />
        <NumberField path="seed" label="Seed" min={0} />
      </div>
    </>
  );
};

/** Whether runs with these settings can start now, and what is in the way. */
const useStart = (settings: TrainSettings | null, answer: Answer) => {
  const busy = useTrain(trainingRun);
  const ready = useTrain((state) => state.status === 'ready');
  const given = useTrainForm(({ demonstrations }) => demonstrations.counts?.of);
  // Stages that learn from stored trajectories take a file, or make their own where none is given.
  const stored = settings?.stages.some(({ loss }) => isStored(loss)) ?? false;
  // A warm-up on given trajectories cannot do without one.
  const imitates = Boolean(settings?.warmUp) && !settings?.warmUp?.own;
  const wantsFile = stored || imitates;
  const missing = stored
    ? given !== undefined && given !== 'stored'
    : imitates && given !== 'rollouts';
  const own = settings !== null && stored && given === undefined ? settings : null;
  const noSummarizer = useSetup(({ setup }) => setup.summarizer.kind === 'off');
  const unsummarized = settings !== null && asksForSummaries(settings) && noSummarizer;
  const noFiles = !keepsFiles();
  const waits = busy !== undefined || !ready;
  // Why is said beside the buttons, where time and memory are.
  const tooBig = (answer?.estimate?.refusal ?? null) !== null;
  const blocked = noFiles || !settings || missing || unsummarized || waits || tooBig;
  return { busy, ready, stored, wantsFile, missing, own, unsummarized, noFiles, blocked };
};

/** What is made first where no file of trajectories is chosen. */
const ownWords = (settings: TrainSettings): string => {
  const { rollouts, questions } = countOwn(settings, Infinity);
  return `It makes its own trajectories first: ${plural(rollouts, 'rollout')} on ${plural(questions, 'question')}, or fewer where there are fewer questions.`;
};

interface StartBarProps {
  settings: TrainSettings | null;
  /** What the run as it is set would take. */
  answer: Answer;
  /** Whether it can start, and what is in the way. */
  can: ReturnType<typeof useStart>;
  /** Whether the panel of a sweep is open. */
  sweeping: boolean;
  setSweeping: (sweeping: boolean) => void;
  /** On a narrow screen: whether more than the start of the run is shown. */
  more: boolean;
  setMore: (more: boolean) => void;
}

/** The buttons that start, try, sweep and export the run, and the one reason why it cannot start. */
const StartBar = (props: StartBarProps) => {
  const [, go] = useLocation();
  const [starting, setStarting] = useState(false);
  const changed = useTrainForm(({ draft }) => Object.keys(draft.changes).length);
  const device = useTrainForm(({ draft }) => draft.device);
  const making = useTrainForm((form) => form.making.progress);
  const { settings, answer, sweeping, setSweeping, more, setMore } = props;
  const tried = useTry(settings, answer, device);
  const startRun = useStartRun();
  const { busy, ready, stored, wantsFile, missing, own, unsummarized, noFiles, blocked } =
    props.can;
  const start = async (wanted: TrainSettings | null) => {
    if (!wanted) return;
    const { name: named } = useTrainForm.getState().draft;
    // A run that only tries says so in its name, unless it was named.
    const tries = wanted !== settings && named.trim() === '';
    const name = tries ? tryName(wanted) : named;
    setStarting(true);
    const demonstrations = wantsFile ? useTrainForm.getState().demonstrations.file : null;
    const id = await startTraining({
      settings: wanted,
      name,
      device,
      demonstrations,
      startFrom: startOf(startRun),
    });
    setStarting(false);
    if (id === null) return;
    // It was the name of this run.
    editDraft({ name: '' });
    go(formatTrainAddress({ run: id, step: null }));
  };
  return (
    <div className="start-bar">
      <Button
        type="submit"
        size="sm"
        loading={starting}
        disabled={blocked}
        onClick={(event) => {
          event.preventDefault();
          void start(settings);
        }}
      >
        Start training
      </Button>
      <button
        type="button"
        className="link more"
        aria-expanded={more}
        aria-controls="start-more"
        onClick={() => setMore(!more)}
      >
        {more ? 'Less' : 'More …'}
      </button>
      <div className="start-more" id="start-more">
        {tried ? (
          <Button
            size="sm"
            variant="default"
            // Its size follows from the estimate.
            disabled={blocked || starting || !answer}
            title={tried.title}
            onClick={() => void start(tried.settings)}
          >
            {tried.words}
          </Button>
        ) : null}
        <Button
          size="sm"
          variant="default"
          aria-expanded={sweeping}
          disabled={!settings}
          title="A grid of runs over one or two settings, compared in a heat map"
          onClick={() => setSweeping(!sweeping)}
        >
          Sweep …
        </Button>
        {settings ? (
          <ExportButton
            name={settings.preset}
            disabled={!ready}
            subject={() => ({ kind: 'settings', settings, setup: useSetup.getState().setup })}
          />
        ) : null}
      </div>
      {/* The first of the reasons that holds: what cannot be changed here before what can. */}
      {noFiles ? (
        <span className="tone-bad" data-testid="cannot-train">
          ⚠ Training cannot start: {NO_FILES}.
        </span>
      ) : busy ? (
        <span className="fine">
          “{busy.name}” is training. Pause or stop it first; one run at a time.
        </span>
      ) : !settings ? (
        <span className="tone-bad">⚠ A field is not allowed yet; see the form.</span>
      ) : missing && making ? (
        <span className="fine">
          Demonstrations are being made, {formatCount(making.kept)} so far.{' '}
          <button type="button" className="link" onClick={() => void cancelDemonstrations()}>
            Cancel
          </button>
        </span>
      ) : missing ? (
        <span className="tone-bad">
          ⚠{' '}
          {stored
            ? 'The file has no stored trajectories. Remove it, and the run makes its own.'
            : 'The cold start needs a file of demonstrations: make them or choose one above.'}
        </span>
      ) : unsummarized ? (
        <Unsummarized />
      ) : own ? (
        <span className="fine">{ownWords(own)}</span>
      ) : null}
      {changed > 0 ? (
        <button type="button" className="link reset" onClick={resetDraft}>
          Back to the recipe ({plural(changed, 'change')})
        </button>
      ) : null}
    </div>
  );
};

/** What the form held before it was replaced as a whole: by the tour, by settings of a run, or by its recipe's own. */
const Replaced = () => {
  const draft = useTrainForm(({ replaced }) => replaced);
  const label = TRAINING_CHOICES.find(({ value }) => value === draft?.training)?.label;
  const changed = Object.keys(draft?.changes ?? {}).length;
  const name = `${label}${changed === 0 ? '' : `, ${plural(changed, 'change')}`}`;
  return (
    <div className="replaced">
      <UndoBar
        removed={draft ? [{ id: 'draft', name }] : []}
        verb="Replaced"
        restore={undoReplace}
        note="Undo is possible until you reload."
        hide={forgetReplaced}
      />
    </div>
  );
};

/** The form of a new run. */
export const NewRun = () => {
  const { training, changes, device } = useTrainForm(({ draft }) => draft);
  const startRun = useStartRun();
  const checked = useMemo(() => {
    const found = checkDraft({ training, changes });
    // The run takes the shape of the adapter that it starts from.
    return { ...found, settings: withShapeOf(found.settings, startRun) };
  }, [training, changes, startRun]);
  // What is not allowed is said while it is typed, and does not come back with the form.
  useLayoutEffect(() => editDraft(withoutFaults), []);
  const form = useMemo(
    () => ({
      raw: rawSettings({ training, changes }),
      errors: checked.errors,
      settings: checked.settings,
    }),
    [training, changes, checked],
  );
  const answer = useEstimate(checked.settings, device);
  const can = useStart(checked.settings, answer);
  const [sweeping, setSweeping] = useState(false);
  const [more, setMore] = useState(false);
  const file = useTrainForm(({ demonstrations }) => demonstrations.file);
  useEffect(() => void openDemonstrations(), []);
  const summaries = checked.settings && asksForSummaries(checked.settings);
  useFitSummarizer(summaries);
  const first = useTrain(
    (state) => state.status === 'ready' && visibleRuns(state.runs).length === 0,
  );
  return (
    <FormState value={form}>
      <form className="new-run" onSubmit={(event) => event.preventDefault()}>
        <h1>{first ? 'Train the model in this tab' : 'New training run'}</h1>
        <p className="lead">
          Reinforcement learning of a <Terms>LoRA</Terms> adapter on the model, on this device. It
          searches and answers questions, earns rewards, and learns from them; every step is stored
          in this browser.
          {first ? ' Nothing has been trained here yet: click Start training.' : ''}
        </p>
        <Replaced />
        <Basics settings={checked.settings} />
        <WorksWith helpers={summaries ? ['summarizer', 'judge'] : ['judge']} />
        <OwnData settings={checked.settings} />
        <StageFields />
        <AdvancedFields />
        {checked.warnings.map((warning) => (
          <p key={warning} className="warn">
            ⚠ {warning}
          </p>
        ))}
        {sweeping && checked.settings ? (
          <SweepPanel
            settings={checked.settings}
            demonstrations={can.wantsFile ? file : null}
            blocked={can.blocked}
          />
        ) : null}
        <div className="start-dock" data-more={more}>
          {checked.settings && !can.noFiles ? (
            <Estimate settings={checked.settings} answer={answer} device={device} />
          ) : null}
          <StartBar
            settings={checked.settings}
            answer={answer}
            can={can}
            sweeping={sweeping}
            setSweeping={setSweeping}
            more={more}
            setMore={setMore}
          />
        </div>
      </form>
    </FormState>
  );
};
