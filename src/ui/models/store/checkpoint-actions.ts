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
import { applyCheckpointMessage, useCheckpoints } from './checkpoint-store.ts';
import { forgetPolicy, takeUpPolicy } from '../../setup/setup-uses.ts';

/** What the models page does with checkpoints. Nothing here rejects: see `problem` and `look`. */

/** Calls of the lab as it is connected now; null until it is. */
let connected: CheckpointsApi | null = null;

const api = (): CheckpointsApi => {
  if (!connected) throw new Error('The lab worker did not start.');
  return connected;
};

/** For what is not a fault of the checkpoint: the worker died, the records cannot be read. */
const BROKEN = 'Reload the page; stored data is kept.';

const tell = (error: unknown): void => {
  const problem = showStorageFault(error) ? null : { message: messageOf(error), next: BROKEN };
  useCheckpoints.setState({ problem });
};

/** Whether it was done; the reason why not is in `problem`. */
const attempt = async (act: () => Promise<Outcome<unknown>>): Promise<boolean> => {
  try {
    const outcome = await act();
    if (outcome.status === 'ready') return true;
    useCheckpoints.setState({ problem: outcome.fault });
  } catch (error) {
    tell(error);
  }
  return false;
};

const receive = (message: CheckpointMessage): void => {
  useCheckpoints.setState((state) => applyCheckpointMessage(state, message));
  if (message.type === 'list') storageChanged();
};

// The lab tells the list as soon as it is listened to.
const connectCheckpoints = (to: CheckpointsApi): void => {
  connected = to;
  to.listen(receive).catch((error: unknown) => {
    useCheckpoints.setState({ status: 'failed' });
    tell(error);
  });
};

/** The list of checkpoints follows the lab's: downloads continue while other pages are shown. */
export const modelsLabUser: LabUser = {
  connected: ({ checkpoints }) => connectCheckpoints(checkpoints),
};

/** Reads the list again, for what no message tells: a tab that died. */
export const refreshCheckpoints = async (): Promise<void> => {
  try {
    receive({ type: 'list', checkpoints: await api().list() });
  } catch (error) {
    tell(error);
  }
};

/** Only the answer to the last look counts. */
let looks = 0;

/**
 * Asks what a source would bring; nothing is stored.
 * @param lookFor repository whose card asks; null: the form does
 */
const look = async (
  what: string,
  request: PlanRequest,
  lookFor: string | null = null,
): Promise<void> => {
  const mine = ++looks;
  const files = request.kind === 'folder' ? request.files : null;
  useCheckpoints.setState({ look: { status: 'looking', what }, lookFor, problem: null });
  try {
    const outcome = await api().plan(request);
    if (mine !== looks) return;
    useCheckpoints.setState({
      look:
        outcome.status === 'ready'
          ? { status: 'ready', view: outcome.value, files }
          : { status: 'failed', fault: outcome.fault },
    });
  } catch (error) {
    if (mine !== looks) return;
    const fault = { kind: 'missing', message: messageOf(error), next: BROKEN } as const;
    useCheckpoints.setState({ look: { status: 'failed', fault } });
  }
};

/** An access token for a hub; the lab keeps it in memory only. An address that is none has no effect. */
export const giveToken = (hub: string, token: string): void => {
  useCheckpoints.setState({ token });
  connected?.useToken(hub, token).catch(() => undefined);
};

/** @param card the repository whose card asks; null: the form does */
export const lookNamed = (text: string, hub: string, card: string | null = null): Promise<void> =>
  look(text.trim(), { kind: 'named', text, hub }, card);

/** Looks at a folder of this machine. */
export const lookFolder = (files: LocalFile[]): Promise<void> =>
  look('the folder', { kind: 'folder', files });

/** Leaves what is looked at, and ends a look that is under way. */
export const dropLook = (): void => {
  looks++;
  connected?.cancelPlan().catch(() => undefined);
  useCheckpoints.setState({ look: { status: 'none' } });
};

/** Begins to store what was looked at. */
export const addLooked = async (name: string): Promise<void> => {
  const { look: looked } = useCheckpoints.getState();
  if (looked.status !== 'ready') return;
  void keepStorage();
  const { view, files } = looked;
  const added = await attempt(() => api().add(view.plan, name, files ?? undefined));
  // Another one may be looked at by now.
  if (added && useCheckpoints.getState().look === looked) dropLook();
};

/**
 * Goes on with a download.
 * @param files of its folder, where it came from one
 */
export const resumeCheckpoint = (id: string, files?: LocalFile[]): Promise<unknown> => {
  useCheckpoints.setState({ problem: null });
  return attempt(() => api().resume(id, files));
};

/** Stops a download; what was stored of it stays. */
export const pauseCheckpoint = async (id: string): Promise<void> => {
  try {
    await api().pause(id);
  } catch (error) {
    tell(error);
  }
};

/** Gives a checkpoint another name; settings keep its id. Never rejects: what failed is in `problem`. */
export const renameCheckpoint = (id: string, name: string): Promise<unknown> =>
  attempt(() => api().rename(id, name));

/** What its weights are held in; where it is in use, it is loaded again. */
export const holdCheckpointAs = async (id: string, weights: MatrixType | null): Promise<void> => {
  const done = await attempt(() => api().holdAs(id, weights));
  if (done) await lab().ask.changed(id).catch(tell);
};

/** The same of keys and values of its contexts. */
export const holdContextsAs = async (id: string, keys: StoreType | null): Promise<void> => {
  const done = await attempt(() => api().holdContextsAs(id, keys));
  if (done) await lab().ask.changed(id).catch(tell);
};

/** Deletes without asking; `restoreCheckpoint` undoes it. Where it was used, what is built in, or nothing, is now. */
export const removeCheckpoint = async (id: string): Promise<void> => {
  const { name = id, doneBytes: bytes = 0 } =
    useCheckpoints.getState().checkpoints.find((each) => each.id === id) ?? {};
  if (!(await attempt(() => api().remove(id)))) return;
  const uses = forgetPolicy({ kind: 'checkpoint', id });
  useCheckpoints.setState(({ removed }) => ({
    removed: [...removed, { id, name, bytes, uses, at: Date.now() }],
  }));
};

/** Brings it back, and uses it again where nothing else was chosen meanwhile. */
export const restoreCheckpoint = async (id: string): Promise<void> => {
  const entry = useCheckpoints.getState().removed.find((one) => one.id === id);
  const back = await attempt(() => api().restore(id));
  // What did not come back stays among what can: it may succeed the next time.
  if (!back) return;
  if (entry) takeUpPolicy({ kind: 'checkpoint', id }, entry.uses);
  useCheckpoints.setState(({ removed }) => ({ removed: removed.filter((one) => one.id !== id) }));
};

/** Frees the space of all deleted checkpoints, which cannot be brought back then. */
export const freeRemovedCheckpoints = async (): Promise<void> => {
  useCheckpoints.setState({ removed: [] });
  try {
    await api().purge(new Date().toISOString());
  } catch (error) {
    tell(error);
  }
};

/** Takes the message of the last failure off the page. */
export const dismissCheckpointProblem = (): void => useCheckpoints.setState({ problem: null });
