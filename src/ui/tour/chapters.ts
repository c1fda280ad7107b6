import { ask, runFromStart } from '../ask/store/actions.ts';
import { examplesOf } from '../ask/store/examples.ts';
import { ASK } from '../ask/store/permalink.ts';
import { isRunning, useAsk } from '../ask/store/ask-store.ts';
import { startEvaluation } from '../evaluate/store/evaluate-actions.ts';
import { formatEvaluateAddress, NEW_EVALUATION } from '../evaluate/store/evaluate-address.ts';
import { FIRST_SPEC } from '../evaluate/store/evaluate-draft.ts';
import { runningEvaluation, useEvaluate } from '../evaluate/store/evaluate-store.ts';
import { useSetup } from '../setup/setup-store.ts';
import { need } from '../lab/connection.ts';
import { useSession } from '../kit/session-store.ts';
import { openOwnRun } from '../rollouts/store/browse-actions.ts';
import { useRollouts } from '../rollouts/store/rollouts-store.ts';
import { formatTrainAddress } from '../train/store/train-address.ts';
import { DEMONSTRATION_LIMITS, makeDemonstrations } from '../train/store/make-demonstrations.ts';
import { startTraining } from '../train/store/train-actions.ts';
import { checkDraft, replaceDraft, useTrainForm } from '../train/store/train-draft.ts';
import { trainingRun, useTrain, visibleRuns } from '../train/store/train-store.ts';
import { TRY_STEPS } from '../train/store/try-run.ts';
import type { ChapterId } from './tour-actions.ts';
import { trainToSearch } from './train-to-search.ts';

/** Texts and actions of the tour; the actions are those of the pages. */

/** What the user has done, inside or outside the tour. */
export type Deed =
  | 'asked'
  | 'trained'
  | 'opened'
  | 'compared'
  | 'own-model'
  | 'own-demonstrations'
  | 'own-trained';

/** What is under way, also when another page started it. */
export type Doing = 'asking' | 'training' | 'comparing';

export const useDoing = (): Record<Doing, boolean> => ({
  asking: useAsk(({ run }) => isRunning(run)),
  training: useTrain((state) => trainingRun(state) !== undefined),
  comparing: useEvaluate((state) => runningEvaluation(state) !== undefined),
});

/** Derived from stored data, so that nothing must be repeated for the tour. */
export const useDeeds = (): Record<Deed, boolean> => ({
  asked: useAsk(({ run, table }) => table.order.length > 0 && !isRunning(run)),
  trained: useTrain(({ runs }) => visibleRuns(runs).some(({ step }) => step > 0)),
  opened: useRollouts(({ files }) => files.length > 0),
  'own-model': useSetup(({ setup }) => setup.policy.kind === 'checkpoint'),
  'own-demonstrations': useTrainForm(({ demonstrations }) => demonstrations.file !== null),
  'own-trained': useTrain(({ runs }) =>
    visibleRuns(runs).some(
      ({ checkpointStep, untrained, setup }) =>
        checkpointStep !== null && !untrained && setup?.policy.kind === 'checkpoint',
    ),
  ),
  compared: useEvaluate(({ evaluations }) => evaluations.some(({ done }) => done > 0)),
});

/** A paragraph, and its action. */
export interface TourStep {
  text: string;
  act?: {
    label: string;
    /** The label once it was done. */
    again?: string;
    run: (go: (path: string) => void) => void | Promise<void>;
    /** What the button does instead while the action is under way. */
    watch?: { of: Doing; label: string; run: (go: (path: string) => void) => void };
  };
  /** The condition to continue; absent for text only. */
  done?: Deed;
}

/** Steps of one topic; seen chapters are stored by `id`. */
export interface Chapter {
  id: ChapterId;
  title: string;
  steps: readonly TourStep[];
}

/** Resolves once the questions of the world are loaded. */
const questionsLoaded = (): Promise<void> =>
  new Promise((resolve) => {
    const look = ({ questions }: ReturnType<typeof useSession.getState>): boolean =>
      questions.length > 0;
    if (look(useSession.getState())) return resolve();
    const stop = useSession.subscribe((state) => {
      if (!look(state)) return;
      stop();
      resolve();
    });
  });

/** Asks the first sample question, once the questions are loaded. */
const askExample = async (go: (path: string) => void): Promise<void> => {
  go(ASK);
  need('sources', 'policy');
  await questionsLoaded();
  const [first] = examplesOf(useSession.getState().questions);
  if (first) ask({ kind: 'world', id: first.id });
  await runFromStart();
};

/** The newest run with at least one step. */
const newestRun = () => visibleRuns(useTrain.getState().runs).find(({ step }) => step > 0);

const watchTraining = (go: (path: string) => void): void =>
  go(formatTrainAddress({ run: trainingRun(useTrain.getState())?.id ?? null, step: null }));

const watchEvaluation = (go: (path: string) => void): void => {
  const running = runningEvaluation(useEvaluate.getState());
  go(running ? formatEvaluateAddress(running.id) : NEW_EVALUATION);
};

const WATCH_ANSWER = {
  of: 'asking',
  label: 'Watch it answer',
  run: (go: (path: string) => void) => go(ASK),
} as const;

/** Opens the rollouts of the newest run as a file; without runs the list of files. */
const readRollouts = (go: (path: string) => void): void => {
  const run = newestRun();
  if (run) openOwnRun(run.id, run.name, go);
  else go('/rollouts');
};

/** A held-out question before the first step and after the newest. */
const beforeAfter = (go: (path: string) => void): void => {
  const run = newestRun();
  if (!run) return go('/train');
  go(
    formatTrainAddress({ run: run.id, step: null, beside: { question: null, from: 0, to: null } }),
  );
};

/** Starts the small evaluation of Evaluate’s empty list; opens the form if it cannot start. */
const compare = async (go: (path: string) => void): Promise<void> => {
  const id = await startEvaluation(FIRST_SPEC, 'Tour: three systems, 20 questions', 'auto');
  go(id === null ? NEW_EVALUATION : formatEvaluateAddress(id));
};

/** The cold start that taught SmolLM2-135M-Instruct to search (`training/studies/real-models.sh`), then ten steps of its RL. */
const REAL_MODEL_CHANGES = {
  'overrides.retrieval.k': 2,
  'overrides.retrieval.passageTokens': 100,
  'overrides.retrieval.maxSearches': 4,
  'adapter.rank': 16,
  warmUp: {
    length: { updates: 88 },
    batch: 4,
    learningRate: 1e-3,
    onlyCorrect: true,
    heldOut: 0.02,
    questions: 16,
  },
  // Paid for F1 alone, on comparisons, this model stops searching within three steps (training/studies/real-models.md).
  stages: [{ steps: 10, reward: 'posterior-ungated', weights: {} }],
  steps: 10,
  questions: 4,
  groupSize: 6,
  'optimizer.learningRate': 3e-4,
  'optimizer.warmUpSteps': 1,
  'heldOut.questions': 16,
};

const REAL_MODEL_NAME = 'Cold start, then RL';

/** Fills the training form, which offers to bring back what was in it, and makes its demonstrations. */
const demonstrate = async (go: (path: string) => void): Promise<void> => {
  replaceDraft({
    training: 'search/grpo',
    changes: REAL_MODEL_CHANGES,
    name: REAL_MODEL_NAME,
    device: 'auto',
  });
  go(formatTrainAddress({ run: null, step: null }));
  const { settings } = checkDraft(useTrainForm.getState().draft);
  if (settings) await makeDemonstrations({ kind: 'gold' }, settings, DEMONSTRATION_LIMITS);
};

/** Starts what the form holds; without demonstrations the form says what is missing. */
const trainRealModel = async (go: (path: string) => void): Promise<void> => {
  const { draft, demonstrations } = useTrainForm.getState();
  const { settings } = checkDraft(draft);
  go(formatTrainAddress({ run: null, step: null }));
  if (!settings || !demonstrations.file) return;
  const id = await startTraining({
    settings,
    name: draft.name || REAL_MODEL_NAME,
    device: draft.device,
    demonstrations: demonstrations.file,
  });
  if (id !== null) go(formatTrainAddress({ run: id, step: null }));
};

/** In the order of `CHAPTER_IDS`. */
export const CHAPTERS: readonly Chapter[] = [
  {
    id: 'ask',
    title: 'Ask a question',
    steps: [
      {
        text: 'A small language model runs in this tab. It has never seen this fictional encyclopedia, so it has to look everything up. Let it answer a question.',
        act: { label: 'Ask an example', run: askExample, watch: WATCH_ANSWER },
        done: 'asked',
      },
      {
        text: 'Every card is one round: a thought, a query, where it went (local corpus or web), the passages that came, and what STIE said of it. Click a line to see it in full on the right; ← and → play the rollout event by event. “more” shows every token and who wrote it: blue the model, green what it read.',
      },
    ],
  },
  {
    id: 'train',
    title: 'Train ten steps',
    steps: [
      {
        text: 'Reinforcement learning lets the model practise: several rollouts of each question, a reward for each, and a step towards those that earned more than their siblings. So that there is something to learn, this run starts with a model that was trained to answer without searching, and is mostly wrong. Ten steps take about two minutes here. They continue while you look at other pages.',
        act: {
          label: `Train ${TRY_STEPS} steps`,
          again: 'Train again',
          run: (go) => trainToSearch(go, 'Tour: learning to search'),
          watch: { of: 'training', label: 'Watch it train', run: watchTraining },
        },
        done: 'trained',
      },
      {
        text: 'The headline compares held-out questions before and after; the charts show reward, length and sampler–trainer agreement. Click a point to open its step and rollouts. The adapter is stored: you can ask with it, export it, or train it further.',
      },
    ],
  },
  {
    id: 'read',
    title: 'Read the rollouts',
    steps: [
      {
        text: 'A curve says that something improved; rollouts say what. The training rollouts open like any other framework’s file: where they failed on the way from question to answer, which behaviours changed, every rollout one click away.',
        act: { label: 'Open the rollouts of the run', run: readRollouts },
        done: 'opened',
      },
      {
        text: 'In a rollout, the hop map shows which gold passage arrived and how each of the others was missed; “why it failed” says it in a sentence. Your own files open by dropping them here.',
      },
    ],
  },
  {
    id: 'before-after',
    title: 'See before | after',
    steps: [
      {
        text: 'See what a run changed on one question: the model before the first step and after the newest, round by round side by side, with a sentence that says where they first differ.',
        act: { label: 'Show before | after', run: beforeAfter },
        done: 'trained',
      },
      {
        text: 'From there you can ask the same question again, without and with the adapter. On Ask, every event of a rollout offers “fork here”: try another source, insert the gold passage, or change the temperature; the fork runs next to the original.',
      },
    ],
  },
  {
    id: 'compare',
    title: 'Compare systems',
    steps: [
      {
        text: 'The same model, the same questions, different systems: one that searches in rounds, one that retrieves once, one that only remembers. Intervals and paired tests say which differences are real.',
        act: {
          label: 'Compare three systems on 20 questions',
          again: 'Compare again',
          run: compare,
          watch: { of: 'comparing', label: 'Watch it compare', run: watchEvaluation },
        },
        done: 'compared',
      },
      {
        text: 'Cost, survival by hop and the grid of questions show where systems differ; click a cell to open their rollouts side by side. Select any published system, or your own changed copy, to add it.',
      },
    ],
  },
  {
    id: 'real-model',
    title: 'Teach a real model to search',
    steps: [
      {
        text: 'Bring a small instruct model as a GGUF file, such as SmolLM2-135M-Instruct (Q4_1, 98 MB). Click “Open a model file”, copy it to this device, then click “Use”. Your own corpus and questions are optional: add them on Corpus.',
        act: { label: 'Go to Models', run: (go) => go('/models') },
        done: 'own-model',
      },
      {
        text: 'Ask a question with the model as it is. Small models rarely search before a cold start: they answer from memory, outside the tags, or not at all.',
        act: { label: 'Ask an example', run: askExample, watch: WATCH_ANSWER },
        done: 'asked',
      },
      {
        text: 'Write demonstrations: the gold evidence of the training questions, as rollouts of your model. This also fills the training form with what taught SmolLM2-135M to search: a cold start (roughly an hour on two cores), then ten steps of RL (roughly another), which pay for the format, the exact answer and the supporting passages that were found.',
        act: { label: 'Make demonstrations', run: demonstrate },
        done: 'own-demonstrations',
      },
      {
        text: 'Train. The line beside “Start training” says how long the run takes on this device. To skip the wait, take the adapter of such a run: click “Use it” below SmolLM2 on Models.',
        act: {
          label: 'Start training',
          run: trainRealModel,
          watch: { of: 'training', label: 'Watch the training', run: watchTraining },
        },
        done: 'own-trained',
      },
      {
        text: 'Ask the same question again, now with the adapter of the run: choose it under “Adapter” in the setup. The model writes a query, reads the passages, and answers in the tags.',
        act: { label: 'Go to Ask', run: (go) => go(ASK) },
        done: 'own-trained',
      },
      {
        text: 'On Runs, “Download as GGUF” writes the model with its adapter as one file for llama.cpp, Ollama and LM Studio.',
      },
    ],
  },
];
