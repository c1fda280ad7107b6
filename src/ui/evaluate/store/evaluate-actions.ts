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

/** Actions of the evaluation pages. Nothing here rejects: see `problem`. */

/**
 * Runs an action of these pages.
 * @returns its value; null on failure, with the reason in `problem`
 */
export const attempt = createAttempt((problem) => useEvaluate.setState({ problem }));

/** The lab's API. Do not store it: a restarted worker has a new one. */
export const evaluationsApi = (): EvaluationsApi => lab().evaluations;

/** Measures this device for an evaluation; its phase is in `measuring`. */
export const measureDevice = async (spec: EvaluationSpec, device: DeviceChoice): Promise<void> => {
  useEvaluate.setState({ problem: null, measuring: 'starting' });
  const showPhase = (measuring: string): void => {
    if (useEvaluate.getState().measuring !== null) useEvaluate.setState({ measuring });
  };
  await attempt('This device could not be measured', () =>
    evaluationsApi().measure(spec, device, showPhase),
  );
  useEvaluate.setState(({ measured }) => ({ measuring: null, measured: measured + 1 }));
};

/** Ends a measurement; its rollouts are kept. */
export const cancelMeasure = (): Promise<void> => evaluationsApi().cancelMeasure();

const nameOf = (id: string): string => evaluationById(useEvaluate.getState(), id)?.name ?? id;

/** Loads the results so far; messages that arrived meanwhile are newer. */
const readResult = async (api: EvaluationsApi, id: string): Promise<void> => {
  const before = useEvaluate.getState().results[id]?.rollouts ?? [];
  // Rollouts that arrive during this call may be missing in its answer.
  const result = await api.result(id);
  useEvaluate.setState(({ results }) => {
    const arrived = (results[id]?.rollouts ?? []).filter((one) => !before.includes(one));
    const rollouts =
      arrived.length === 0 ? result.rollouts : withRollouts(result.rollouts, arrived);
    return { results: { ...results, [id]: { ...result, rollouts } } };
  });
};

/** Fields that messages do not carry: systems and questions after planning, failures at the end. */
const readAgain = (messages: readonly EvaluationMessage[]): void => {
  for (const message of messages) {
    if (message.type !== 'evaluation') continue;
    const { id, status, hash } = message.evaluation;
    const known = useEvaluate.getState().results[id];
    const planned = hash !== null && known?.systems.length === 0;
    if (known && (status !== 'running' || planned)) void openEvaluation(id);
  }
};

/** Lab messages are applied once per frame. */
const receive = createFrameQueue<EvaluationMessage>((messages) => {
  useEvaluate.setState((state) => applyEvaluationMessages(state, messages));
  readAgain(messages);
});

const readList = async (api: EvaluationsApi): Promise<void> => {
  const evaluations = await api.list();
  useEvaluate.setState((state) => ({
    status: 'ready',
    // Merged, because the listener may already have delivered some.
    evaluations: evaluations.reduce(withEvaluation, [...state.evaluations]),
  }));
};

const connect = (api: EvaluationsApi): void => {
  // Only plain functions can cross to a worker.
  const listener = (messages: EvaluationMessage[]) => receive(messages);
  void (async () => {
    try {
      await api.listen(listener);
      await readList(api);
      // After a restart of the lab worker some rollouts may be missing.
      for (const id of Object.keys(useEvaluate.getState().results)) await readResult(api, id);
    } catch (error) {
      const problem = problemOf('The evaluations could not be read', error);
      useEvaluate.setState({ status: 'failed', problem });
    }
  })();
};

/** Subscribes the evaluation pages to the lab. */
export const evaluateLabUser: LabUser = { connected: ({ evaluations }) => connect(evaluations) };

/** Retries loading the list; `status` becomes `failed` again on errors. */
export const reloadEvaluations = async (): Promise<void> => {
  useEvaluate.setState({ problem: null });
  const done = await attempt('The evaluations could not be read', async () => {
    await readList(evaluationsApi());
    return true;
  });
  if (done === null) useEvaluate.setState({ status: 'failed' });
};

/** Loads the results of an evaluation; from then on the store collects new rollouts. */
export const openEvaluation = (id: string): Promise<unknown> =>
  attempt(`The results of “${nameOf(id)}” could not be read`, () =>
    readResult(evaluationsApi(), id),
  );

/** @returns the new evaluation's id; null on failure, with the reason in `problem` */
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
    // Messages that already arrived are newer than the call's answer.
    evaluations: evaluationById(state, record.id)
      ? state.evaluations
      : withEvaluation(state.evaluations, record),
  }));
  return record.id;
};

/** Continues a stopped evaluation, also on another device; failed rollouts are retried. */
export const resumeEvaluation = async (id: string, device: DeviceChoice): Promise<void> => {
  useEvaluate.setState({ problem: null });
  void keepStorage();
  await attempt('The evaluation could not continue', () => evaluationsApi().resume(id, device));
};

/** Finishes the current rollouts and stops, in whichever tab it runs. */
export const pauseEvaluation = (id: string): Promise<unknown> =>
  attempt('The evaluation could not be paused', () => evaluationsApi().pause(id));

/** The stop button: every finished rollout is kept. */
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

/** Deletes without confirmation; `restoreEvaluation` undoes it. */
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

/** Restores a deleted evaluation within `UNDO_MS`. */
export const restoreEvaluation = async (id: string): Promise<void> => {
  await attempt('The evaluation could not be restored', async () => {
    await evaluationsApi().restore(id);
    change(id, { deletedAt: null });
    useEvaluate.setState(({ removed }) => ({ removed: removed.filter((one) => one.id !== id) }));
  });
};

/** Hides the offer to restore; the evaluations stay deleted. */
export const dismissRemoved = (): void => useEvaluate.setState({ removed: [] });

const ENDINGS: Record<TableFormat, string> = { markdown: 'md', csv: 'csv', latex: 'tex' };

/**
 * Exports the table.
 * @param request its grouping and reference; `times`: with measured seconds
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

/** Exports the spec and the results in one file, which `readEvaluationFile` reads. */
export const downloadEvaluation = async (id: string): Promise<void> => {
  await attempt(`“${nameOf(id)}” could not be exported`, async () =>
    saveFile(
      `${fileStem(nameOf(id))}.evaluation.json`,
      await evaluationsApi().exportEvaluation(id),
    ),
  );
};

/** Dismisses the last failure. */
export const dismissProblem = (): void => useEvaluate.setState({ problem: null });

/**
 * Reads an exported evaluation.
 * @returns its spec, for review before it runs
 */
export const readEvaluationFile = (
  file: File,
): Promise<{ name: string; spec: EvaluationSpec } | null> => {
  // Clears the error of the previous file.
  dismissProblem();
  return attempt(`${file.name} could not be read`, () => evaluationsApi().readEvaluation(file));
};

/** Loads which trained runs have adapters to evaluate. */
export const readRuns = async (): Promise<void> => {
  const runs = await attempt('The trained runs could not be read', () => evaluationsApi().runs());
  if (runs) useEvaluate.setState({ runs });
};
