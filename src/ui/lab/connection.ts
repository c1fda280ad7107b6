import type { Setup } from '../../records/setup.ts';
import type { AskMessage } from '../../lab/contract/ask.ts';
import type { Need } from '../../lab/contract/progress.ts';
import type { LabApi } from '../../lab/contract/lab.ts';
import type { DeviceChoice } from '../../lab/contract/settings.ts';
import type { RolloutsApi } from '../../lab/contract/rollouts.ts';
import { describeFailure } from '../../lab/contract/failures.ts';
import { createFrameQueue } from '../kit/page/frame-queue.ts';
import { forgetPieces, providePieces } from '../kit/tokens/pieces.ts';
import { useSession } from '../kit/session-store.ts';
import { useSetup } from '../setup/setup-store.ts';

/**
 * The page's connection to the lab worker. It knows no page: a page that needs lab messages or startup
 * calls registers a `LabUser`.
 */

/** All services that the page calls. */
export type LabConnection = LabApi & {
  /** Imported rollouts; they have their own worker. */
  rollouts: RolloutsApi;
};

/** Opens a connection; every message goes to `receive`. */
export type LabOpener = (
  receive: (messages: AskMessage[]) => void,
  device: DeviceChoice,
  setup: Setup,
) => LabConnection;

/** A subscriber of the lab. */
export interface LabUser {
  /** Called for each new connection: the first, and one after every restart of a worker that died. */
  connected?: (lab: LabConnection) => void;
  /** Called for each message, in order; several messages may come in one frame. */
  receive?: (message: AskMessage) => void;
  /** The worker died or could not start: pending messages will not arrive. */
  lost?: (error: unknown) => void;
}

/** How `connectLab` gets a worker, the current device, and the subscribers. */
export interface LabWiring {
  open: LabOpener;
  /** Read at each start, so that a restart uses the current choice. */
  device: () => DeviceChoice;
  /** Preloads files that the workers will request. */
  askAhead?: (parts: readonly ('lab' | Need)[], setup: Setup) => void;
  users: readonly LabUser[];
}

let connection: LabConnection | null = null;
let wiring: LabWiring | null = null;

/** Stores what is loaded; messages about runs are for their subscribers. */
const receive = (message: AskMessage): void => {
  switch (message.type) {
    case 'parts':
      return useSession.setState({ parts: message.parts });
    case 'questions':
      return useSession.setState({ questions: message.rows, questionsProblem: message.problem });
    case 'sources':
      return useSession.setState({ sources: message.facts });
    case 'policy':
      // Ids depend on the tokenizer.
      forgetPieces();
      return useSession.setState({ policy: message.info, device: message.device });
    default:
      for (const user of wiring?.users ?? []) user.receive?.(message);
  }
};

/** Opens the lab. Calls of `lab()` work from then on, and wait until the worker has started. */
export const connectLab = (wired: LabWiring): void => {
  wiring = wired;
  useSession.setState({ labFailure: null });
  const queue = createFrameQueue<AskMessage>((messages) => messages.forEach(receive));
  const { setup, resources, keys } = useSetup.getState();
  const opened = wired.open(queue, wired.device(), setup);
  connection = opened;
  wired.askAhead?.(['lab'], setup);
  void opened.ask.provide(resources, keys).catch(() => undefined);
  tellNeeds(opened);
  providePieces((ids) => opened.ask.pieces(ids));
  for (const user of wired.users) user.connected?.(opened);
};

/** A dead worker receives it after its restart. */
const tellNeeds = (to: LabConnection | null): void => {
  const { needed } = useSession.getState();
  if (needed.size > 0) to?.ask.need([...needed]).catch(() => undefined);
};

/** Loads these parts from now on. Unneeded parts are not loaded: workers and encoder take seconds. */
export const need = (...needs: readonly Need[]): void => {
  const { needed } = useSession.getState();
  if (needs.every((one) => needed.has(one))) return;
  useSession.setState({ needed: new Set([...needed, ...needs]) });
  wiring?.askAhead?.(needs, useSetup.getState().setup);
  tellNeeds(connection);
};

// Starts to load the chosen parts; a dead worker receives it after its restart.
useSetup.subscribe(({ setup, resources, keys }, before) => {
  if (setup !== before.setup) void connection?.ask.use(setup).catch(() => undefined);
  if (resources !== before.resources || keys !== before.keys)
    void connection?.ask.provide(resources, keys).catch(() => undefined);
});

/** For the opener, when the worker died or could not start. */
export const reportLost = (error: unknown): void => {
  useSession.setState({ labFailure: describeFailure(error) });
  for (const user of wiring?.users ?? []) user.lost?.(error);
};

/** Retries failed parts; restarts a dead worker. */
export const retryLoading = async (): Promise<void> => {
  if (useSession.getState().labFailure === null) await lab().ask.retry();
  else if (wiring) connectLab(wiring);
};

/** @throws Error if `connectLab` was not called yet, which is a bug */
export const lab = (): LabConnection => {
  if (!connection) throw new Error('the lab is not connected');
  return connection;
};
