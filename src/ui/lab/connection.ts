import type { Setup } from '../../records/setup.ts';
import type { AskMessage } from '../../lab/contract/ask.ts';
import type { Need } from '../../lab/contract/progress.ts';
import type { LabApi } from '../../lab/contract/lab.ts';
import type { DeviceChoice } from '../../lab/contract/settings.ts';
import type { RolloutsApi } from '../../lab/contract/rollouts.ts';
import { describeFailure } from '../../lab/contract/failures.ts';
import { createFrameQueue } from '../kit/page/frame-queue.ts';
import { forgetPieces, providePieces } from '../kit/tokens/pieces.ts';
import { useLab } from './lab-store.ts';
import { useResources } from '../setup/resources-store.ts';
import { useSetup } from '../setup/setup-store.ts';

/**
 * The page's one connection to the lab worker. It knows no place of the page: a place that wants the
 * lab's messages, or calls of its own at the start, is handed over as a `LabUser` when it is opened.
 */

/** All hosts that the page calls. */
export type LabConnection = LabApi & {
  /** Imported rollouts; they have a worker of their own. */
  rollouts: RolloutsApi;
};

/** Opens a connection; every message of the host is handed to `receive`. */
export type LabOpener = (
  receive: (messages: AskMessage[]) => void,
  device: DeviceChoice,
  setup: Setup,
) => LabConnection;

/** What a place of the page does with the lab. */
export interface LabUser {
  /** Called with each new connection: the first, and one after every restart of a worker that died. */
  connected?: (lab: LabConnection) => void;
  /** Called for each message, in order; several messages may come in one frame. */
  receive?: (message: AskMessage) => void;
  /** The worker died or could not start: what waits for its messages waits in vain. */
  lost?: (error: unknown) => void;
}

/** Where `connectLab` gets a worker, the device of the moment, and who listens. */
export interface LabWiring {
  open: LabOpener;
  /** Asked at each start: a restart after a failure takes the device that is chosen by then. */
  device: () => DeviceChoice;
  /** Asks for files that the worker and those that it starts are going to ask for. */
  askAhead?: (parts: readonly ('lab' | Need)[], setup: Setup) => void;
  users: readonly LabUser[];
}

let connection: LabConnection | null = null;
let wiring: LabWiring | null = null;

/** Keeps what is loaded; everything about a run is for the places that show it. */
const receive = (message: AskMessage): void => {
  switch (message.type) {
    case 'parts':
      return useLab.setState({ parts: message.parts });
    case 'questions':
      return useLab.setState({ questions: message.rows, questionsProblem: message.problem });
    case 'sources':
      return useLab.setState({ sources: message.facts });
    case 'policy':
      // Ids mean something else with another tokenizer.
      forgetPieces(message.info.id);
      return useLab.setState({ policy: message.info, device: message.device });
    default:
      for (const user of wiring?.users ?? []) user.receive?.(message);
  }
};

/** Opens the lab. Calls of `lab()` work from then on, and wait until the worker has started. */
export const connectLab = (wired: LabWiring): void => {
  wiring = wired;
  useLab.setState({ labFailure: null });
  const queue = createFrameQueue<AskMessage>((messages) => messages.forEach(receive));
  const { resources, keys } = useResources.getState();
  const { setup } = useSetup.getState();
  const opened = wired.open(queue, wired.device(), setup);
  connection = opened;
  wired.askAhead?.(['lab'], setup);
  void opened.ask.provide(resources, keys).catch(() => undefined);
  tellNeeds(opened);
  providePieces((ids) => opened.ask.pieces(ids));
  for (const user of wired.users) user.connected?.(opened);
};

/** A worker that is gone learns it when it is opened again. */
const tellNeeds = (to: LabConnection | null): void => {
  const { needed } = useLab.getState();
  if (needed.size > 0) to?.ask.need([...needed]).catch(() => undefined);
};

/** Has these loaded from now on. What no page needed is not: engines and encoder take seconds. */
export const need = (...needs: readonly Need[]): void => {
  const { needed } = useLab.getState();
  if (needs.every((one) => needed.has(one))) return;
  useLab.setState({ needed: new Set([...needed, ...needs]) });
  wiring?.askAhead?.(needs, useSetup.getState().setup);
  tellNeeds(connection);
};

// What was chosen begins to load at once; a worker that is gone learns it when it is opened again.
useSetup.subscribe(({ setup }) => void connection?.ask.use(setup).catch(() => undefined));
useResources.subscribe(
  ({ resources, keys }) => void connection?.ask.provide(resources, keys).catch(() => undefined),
);

/** To be called by the opener when the worker died or could not start. */
export const reportLost = (error: unknown): void => {
  useLab.setState({ labFailure: describeFailure(error) });
  for (const user of wiring?.users ?? []) user.lost?.(error);
};

/** Loads again what failed; where the worker itself is gone, starts another. */
export const retryLoading = async (): Promise<void> => {
  if (useLab.getState().labFailure === null) await lab().ask.retry();
  else if (wiring) connectLab(wiring);
};

/** @throws Error where `connectLab` was not called yet: a fault of the program, not of the worker */
export const lab = (): LabConnection => {
  if (!connection) throw new Error('the lab is not connected');
  return connection;
};
