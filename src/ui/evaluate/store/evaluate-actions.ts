import type { EvaluationSpec } from '../../../evaluate/systems/spec.ts';
import type { TableFormat } from '../../../evaluate/systems/table/shape.ts';
import type {
  EvaluationMessage,
  EvaluationsApi,
  TableRequest,
} from '../../../lab/contract/evaluations.ts';
import type { DeviceChoice } from '../../../lab/contract/settings.ts';
import { createAttempt, problemOf } from '../../kit/attempt.ts';
import { createFrameQueue } from '../../kit/page/frame-queue.ts';
import { fileStem, saveFile } from '../../kit/page/save-file.ts';
import { lab, type LabUser } from '../../lab/connection.ts';
import { keepStorage } from '../../lab/storage.ts';
import {
  applyEvaluationMessages,
  evaluationById,
  runningEvaluation,
  useEvaluate,
  withEvaluation,
  withRollouts,
} from './evaluate-store.ts';

/** What the evaluation pages do; one function each. Nothing here rejects: see `problem`. */

/**
 * Runs an action of these pages.
 * @returns its value; null where it failed, with the reason in `problem`
 */
export const attempt = createAttempt((problem) => useEvaluate.setState({ problem }));

/** Calls of the lab as it is connected now. Not to be kept: once its worker is started again they are others. */
export const evaluationsApi = (): EvaluationsApi => lab().evaluations;

/** Measures this device for an evaluation; what it is doing is in `measuring`. */
export const measureDevice = async (spec: EvaluationSpec, device: DeviceChoice): Promise<void> => {
  useEvaluate.setState({ problem: null, measuring: 'starting' });
  const told = (measuring: string): void => {
    if (useEvaluate.getState().measuring !== null) useEvaluate.setState({ measuring });
  };
  await attempt('This device could not be measured', () =>
    evaluationsApi().measure(spec, device, told),
  );
  useEvaluate.setState(({ measured }) => ({ measuring: null, measured: measured + 1 }));
};

/** Ends a measurement; the rollouts that it made are kept. */
export const cancelMeasure = (): Promise<void> => evaluationsApi().cancelMeasure();

const nameOf = (id: string): string => evaluationById(useEvaluate.getState(), id)?.name ?? id;

/** Reads what was found so far; what arrived meanwhile is the newer. */
const readResult = async (api: EvaluationsApi, id: string): Promise<void> => {
  const before = useEvaluate.getState().results[id]?.rollouts ?? [];
  // Rollouts that a message brings while this call is under way may be missing in its answer.
  const result = await api.result(id);
  useEvaluate.setState(({ results }) => {
    const arrived = (results[id]?.rollouts ?? []).filter((one) => !before.includes(one));
    const rollouts =
      arrived.length === 0 ? result.rollouts : withRollouts(result.rollouts, arrived);
    return { results: { ...results, [id]: { ...result, rollouts } } };
  });
};

/** What no message of rollouts says: systems and questions, once it was planned, and what failed, at its end. */
const readAgain = (messages: readonly EvaluationMessage[]): void => {
  for (const message of messages) {
    if (message.type !== 'evaluation') continue;
    const { id, status, hash } = message.evaluation;
    const known = useEvaluate.getState().results[id];
    const planned = hash !== null && known?.systems.length === 0;
    if (known && (status !== 'running' || planned)) void openEvaluation(id);
  }
};

/** What the lab tells is applied once a frame, however much of it comes in between. */
const receive = createFrameQueue<EvaluationMessage>((messages) => {
  useEvaluate.setState((state) => applyEvaluationMessages(state, messages));
  readAgain(messages);
});

const readList = async (api: EvaluationsApi): Promise<void> => {
  const evaluations = await api.list();
  useEvaluate.setState((state) => ({
    status: 'ready',
    // Into what is there: the listener, which is connected first, may have brought some already.
    evaluations: evaluations.reduce(withEvaluation, [...state.evaluations]),
  }));
};

const connect = (api: EvaluationsApi): void => {
  // What crosses to a worker has to be a plain function.
  const listener = (messages: EvaluationMessage[]) => receive(messages);
  void (async () => {
    try {
      await api.listen(listener);
      await readList(api);
      // After the lab worker was started again: rollouts may have been missed.
      for (const id of Object.keys(useEvaluate.getState().results)) await readResult(api, id);
    } catch (error) {
      const problem = problemOf('The evaluations could not be read', error);
      useEvaluate.setState({ status: 'failed', problem });
    }
  })();
};

/** The evaluation pages follow the lab's evaluations. */
export const evaluateLabUser: LabUser = { connected: ({ evaluations }) => connect(evaluations) };

/** Reads the list again after it could not be read; `status` is `failed` again where it still cannot. */
export const reloadEvaluations = async (): Promise<void> => {
  useEvaluate.setState({ problem: null });
  const done = await attempt('The evaluations could not be read', async () => {
    await readList(evaluationsApi());
    return true;
  });
  if (done === null) useEvaluate.setState({ status: 'failed' });
};

/** Reads what an evaluation found. From then on its rollouts are kept in the store as they arrive. */
export const openEvaluation = (id: string): Promise<unknown> =>
  attempt(`The results of “${nameOf(id)}” could not be read`, () =>
    readResult(evaluationsApi(), id),
  );

/** @returns the new evaluation's id; null where it could not start, with the reason in `problem` */
export const startEvaluation = async (
  spec: EvaluationSpec,
  name: string,
  device: DeviceChoice,
): Promise<string | null> => {
  useEvaluate.setState({ problem: null });
  void keepStorage();
  const record = await attempt('The evaluation did not start', () =>
    evaluationsApi().start(spec, name, device),
  );
  if (!record) return null;
  useEvaluate.setState((state) => ({
    // What arrived already is newer than what the call returned.
    evaluations: evaluationById(state, record.id)
      ? state.evaluations
      : withEvaluation(state.evaluations, record),
  }));
  return record.id;
};

/** Goes on where an evaluation stopped; rollouts that failed are tried again. It may be another device. */
export const resumeEvaluation = async (id: string, device: DeviceChoice): Promise<void> => {
  useEvaluate.setState({ problem: null });
  void keepStorage();
  await attempt('The evaluation could not continue', () => evaluationsApi().resume(id, device));
};

/** Ends the rollouts under way and stops, in whichever tab it runs. */
export const pauseEvaluation = (id: string): Promise<unknown> =>
  attempt('The evaluation could not be paused', () => evaluationsApi().pause(id));

/** The one stop button: every rollout that was made is kept. */
export const stopEvaluation = async (): Promise<void> => {
  const running = runningEvaluation(useEvaluate.getState());
  if (running) await pauseEvaluation(running.id);
};

const change = (id: string, part: { name: string } | { deletedAt: string | null }): void =>
  useEvaluate.setState(({ evaluations }) => ({
    evaluations: evaluations.map((one) => (one.id === id ? { ...one, ...part } : one)),
  }));

/** Shows the new name once it is stored. */
export const renameEvaluation = (id: string, name: string): Promise<unknown> =>
  attempt('The name was not saved', async () => {
    await evaluationsApi().rename(id, name);
    change(id, { name });
  });

/** Deletes without asking; `restoreEvaluation` undoes it. */
export const removeEvaluation = async (id: string): Promise<void> => {
  const name = nameOf(id);
  await attempt(`“${name}” was not deleted`, async () => {
    await evaluationsApi().remove(id);
    change(id, { deletedAt: new Date().toISOString() });
    useEvaluate.setState(({ removed }) => ({
      removed: [...removed, { id, name, at: Date.now() }],
    }));
  });
};

/** Brings a deleted evaluation back, for as long as `UNDO_MS`. */
export const restoreEvaluation = async (id: string): Promise<void> => {
  await attempt('The evaluation could not be restored', async () => {
    await evaluationsApi().restore(id);
    change(id, { deletedAt: null });
    useEvaluate.setState(({ removed }) => ({ removed: removed.filter((one) => one.id !== id) }));
  });
};

/** Takes the offer to restore deleted evaluations off the page; they stay deleted. */
export const dismissRemoved = (): void => useEvaluate.setState({ removed: [] });

const ENDINGS: Record<TableFormat, string> = { markdown: 'md', csv: 'csv', latex: 'tex' };

/**
 * Hands the table out as a file.
 * @param request how it is parted and compared; `times`: with measured seconds
 */
export const downloadTable = async (
  id: string,
  format: TableFormat,
  request: TableRequest & { times?: boolean },
): Promise<void> => {
  await attempt('The table could not be exported', async () =>
    saveFile(
      `${fileStem(nameOf(id))}.${ENDINGS[format]}`,
      await evaluationsApi().exportTable(id, format, request),
    ),
  );
};

/** Hands out one file with what was asked for and found, which `readEvaluationFile` reads. */
export const downloadEvaluation = async (id: string): Promise<void> => {
  await attempt(`“${nameOf(id)}” could not be exported`, async () =>
    saveFile(
      `${fileStem(nameOf(id))}.evaluation.json`,
      await evaluationsApi().exportEvaluation(id),
    ),
  );
};

/** Takes the message of the last failure off the page. */
export const dismissProblem = (): void => useEvaluate.setState({ problem: null });

/** Reads a file that repeats an evaluation. @returns what it asks for, to be looked at before it runs */
export const readEvaluationFile = (
  file: File,
): Promise<{ name: string; spec: EvaluationSpec } | null> => {
  // What was wrong with the file before it is not wrong with this one.
  dismissProblem();
  return attempt(`${file.name} could not be read`, () => evaluationsApi().readEvaluation(file));
};

/** Reads which trained runs have adapters to evaluate. */
export const readRuns = async (): Promise<void> => {
  const runs = await attempt('The trained runs could not be read', () => evaluationsApi().runs());
  if (runs) useEvaluate.setState({ runs });
};
