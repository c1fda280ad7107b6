import { messageOf } from '../../../base/errors.ts';
import type {
  CheckpointMessage,
  CheckpointsApi,
  Outcome,
  PlanRequest,
} from '../../../lab/contract/checkpoints.ts';
import type { LocalFile } from '../../../lab/contract/records/checkpoints.ts';
import { showStorageFault } from '../../kit/storage-news.ts';
import { keepStorage, storageChanged } from '../../lab/storage.ts';
import type { MatrixType, StoreType } from '../../../policy/ops/values.ts';
import { lab, type LabUser } from '../../lab/connection.ts';
import { applyCheckpointMessage, useModels } from './models-store.ts';
import { forgetPolicy, takeUpPolicy } from '../../setup/setup-uses.ts';

/** Actions for checkpoints. Nothing here rejects: see `problem` and `look`. */

/** The lab's API; null until connected. */
let connected: CheckpointsApi | null = null;

const api = (): CheckpointsApi => {
  if (!connected) throw new Error('The lab worker did not start.');
  return connected;
};

/** Advice for general failures: the worker died, the records are unreadable. */
const BROKEN = 'Reload the page; stored data is kept.';

const tell = (error: unknown): void => {
  const problem = showStorageFault(error) ? null : { message: messageOf(error), next: BROKEN };
  useModels.setState({ problem });
};

/** @returns success; the reason for a failure is in `problem` */
const attempt = async (act: () => Promise<Outcome<unknown>>): Promise<boolean> => {
  try {
    const outcome = await act();
    if (outcome.status === 'ready') return true;
    useModels.setState({ problem: outcome.fault });
  } catch (error) {
    tell(error);
  }
  return false;
};

const receive = (message: CheckpointMessage): void => {
  useModels.setState((state) => applyCheckpointMessage(state, message));
  if (message.type === 'list') storageChanged();
};

// The lab sends the list to new subscribers.
const connectCheckpoints = (to: CheckpointsApi): void => {
  connected = to;
  to.listen(receive).catch((error: unknown) => {
    useModels.setState({ status: 'failed' });
    tell(error);
  });
};

/** The list follows the lab, because downloads continue on other pages. */
export const modelsLabUser: LabUser = {
  connected: ({ checkpoints }) => connectCheckpoints(checkpoints),
};

/** Reloads the list for changes without a message: a tab that died. */
export const refreshCheckpoints = async (): Promise<void> => {
  try {
    receive({ type: 'list', checkpoints: await api().list() });
  } catch (error) {
    tell(error);
  }
};

/** Only the last preview counts. */
let looks = 0;

/**
 * Previews a source; nothing is stored.
 * @param lookFor repository whose card requested it; null: the form
 */
const look = async (
  what: string,
  request: PlanRequest,
  lookFor: string | null = null,
): Promise<void> => {
  const mine = ++looks;
  const files = request.kind === 'local' ? request.files : null;
  useModels.setState({ look: { status: 'looking', what }, lookFor, problem: null });
  try {
    const outcome = await api().plan(request);
    if (mine !== looks) return;
    useModels.setState({
      look:
        outcome.status === 'ready'
          ? { status: 'ready', view: outcome.value, files }
          : { status: 'failed', fault: outcome.fault },
    });
  } catch (error) {
    if (mine !== looks) return;
    const fault = { kind: 'missing', message: messageOf(error), next: BROKEN } as const;
    useModels.setState({ look: { status: 'failed', fault } });
  }
};

/** Access token for a hub, only kept in memory. Ignored for invalid addresses. */
export const giveToken = (hub: string, token: string): void => {
  useModels.setState({ token });
  connected?.useToken(hub, token).catch(() => undefined);
};

/** @param card the repository whose card requested it; null: the form */
export const lookNamed = (text: string, hub: string, card: string | null = null): Promise<void> =>
  look(text.trim(), { kind: 'named', text, hub }, card);

/** Previews local files: a model file or its parts, or a folder. */
export const lookLocal = (files: LocalFile[]): Promise<void> =>
  look(files.length === 1 ? (files[0]?.path ?? '') : 'the files', { kind: 'local', files });

/** Closes the preview, or cancels it. */
export const dropLook = (): void => {
  looks++;
  connected?.cancelPlan().catch(() => undefined);
  useModels.setState({ look: { status: 'none' } });
};

/** Starts to store the previewed checkpoint. */
export const storePreviewed = async (name: string): Promise<void> => {
  const { look: preview } = useModels.getState();
  if (preview.status !== 'ready') return;
  void keepStorage();
  const { view, files } = preview;
  const added = await attempt(() => api().add(view.plan, name, files ?? undefined));
  // Another one may be previewed by now.
  if (added && useModels.getState().look === preview) dropLook();
};

/**
 * Resumes a download.
 * @param files of its folder, for local checkpoints
 */
export const resumeCheckpoint = (id: string, files?: LocalFile[]): Promise<unknown> => {
  useModels.setState({ problem: null });
  return attempt(() => api().resume(id, files));
};

/** Pauses a download; stored parts are kept. */
export const pauseCheckpoint = async (id: string): Promise<void> => {
  try {
    await api().pause(id);
  } catch (error) {
    tell(error);
  }
};

/** Renames a checkpoint; settings refer to its id. Never rejects: failures are in `problem`. */
export const renameCheckpoint = (id: string, name: string): Promise<unknown> =>
  attempt(() => api().rename(id, name));

/** Sets the weight type; a checkpoint in use is reloaded. */
export const holdCheckpointAs = async (id: string, weights: MatrixType | null): Promise<void> => {
  const done = await attempt(() => api().holdAs(id, weights));
  if (done) await lab().ask.changed(id).catch(tell);
};

/** Sets the KV cache type. */
export const holdContextsAs = async (id: string, keys: StoreType | null): Promise<void> => {
  const done = await attempt(() => api().holdContextsAs(id, keys));
  if (done) await lab().ask.changed(id).catch(tell);
};

/**
 * Deletes without confirmation; `restoreCheckpoint` undoes it. Its uses fall back to the built-in
 * model, or none.
 */
export const removeCheckpoint = async (id: string): Promise<void> => {
  const { name = id, doneBytes: bytes = 0 } =
    useModels.getState().checkpoints.find((each) => each.id === id) ?? {};
  if (!(await attempt(() => api().remove(id)))) return;
  const uses = forgetPolicy({ kind: 'checkpoint', id });
  useModels.setState(({ removed }) => ({
    removed: [...removed, { id, name, bytes, uses, at: Date.now() }],
  }));
};

/** Restores it, and its uses unless another choice was made meanwhile. */
export const restoreCheckpoint = async (id: string): Promise<void> => {
  const entry = useModels.getState().removed.find((one) => one.id === id);
  const back = await attempt(() => api().restore(id));
  // On failure it stays restorable for another try.
  if (!back) return;
  if (entry) takeUpPolicy({ kind: 'checkpoint', id }, entry.uses);
  useModels.setState(({ removed }) => ({ removed: removed.filter((one) => one.id !== id) }));
};

/** Frees the space of all deleted checkpoints, which then cannot be restored. */
export const freeRemovedCheckpoints = async (): Promise<void> => {
  useModels.setState({ removed: [] });
  try {
    await api().purge(new Date().toISOString());
  } catch (error) {
    tell(error);
  }
};

/** Dismisses the last failure. */
export const dismissCheckpointProblem = (): void => useModels.setState({ problem: null });
