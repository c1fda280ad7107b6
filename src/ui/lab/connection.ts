import type { Setup } from '../../records/setup.ts';
import type { ConductorMessage, LabApi } from '../../lab/ask/messages.ts';
import type { DeviceChoice } from '../../lab/ask/settings.ts';
import type { InspectionApi } from '../../lab/rollouts/index.ts';
import { createFrameQueue } from '../kit/page/frame-queue.ts';
import { forgetPieces } from '../kit/tokens/pieces.ts';
import { useLab } from './lab-store.ts';
import { useResources } from '../setup/resources-store.ts';
import { useRun } from '../ask/store/run-store.ts';
import { useSetup } from '../setup/setup-store.ts';
import { connectCheckpoints } from '../models/store/checkpoint-actions.ts';
import { connectTraining } from '../train/store/train-actions.ts';

/** The lab as the page knows it: the conductor's calls, without the start that connects it. */
export type LabConnection = Omit<LabApi, 'start'> & {
  /** Imported rollouts; they have a worker of their own. */
  inspection: InspectionApi;
};

/** Opens a connection; every message of the conductor is handed to `receive`. */
export type LabOpener = (
  receive: (messages: ConductorMessage[]) => void,
  device: DeviceChoice,
  setup: Setup,
) => LabConnection;

let connection: LabConnection | null = null;
let opener: LabOpener | null = null;

const receive = (message: ConductorMessage): void => {
  switch (message.type) {
    case 'parts':
      return useLab.setState({ parts: message.parts });
    case 'questions':
      return useLab.setState({ questions: message.rows, questionsProblem: message.problem });
    case 'sources':
      return useLab.setState({ sources: message.facts });
    case 'policy':
      // Ids mean something else with another tokenizer.
      forgetPieces();
      return useLab.setState({ policy: message.info, device: message.device });
    case 'run':
      return useRun.getState().setRun(message.run);
    case 'unknown-names':
      return useRun.getState().setUnknownNames(message.runId, message.names);
    case 'updates':
      return useRun.getState().apply(message.updates);
  }
};

export const connectLab = (open: LabOpener, device: DeviceChoice): void => {
  opener = open;
  useLab.setState({ labFailure: null });
  const queue = createFrameQueue<ConductorMessage>((messages) => messages.forEach(receive));
  const { resources, keys } = useResources.getState();
  const opened = open(queue, device, useSetup.getState().setup);
  connection = opened;
  void opened.provide(resources, keys).catch(() => undefined);
  connectTraining(connection.train);
  connectCheckpoints(connection.checkpoints);
};

// What was chosen begins to load at once; a worker that is gone learns it when it is opened again.
useSetup.subscribe(({ setup }) => void connection?.use(setup).catch(() => undefined));
useResources.subscribe(
  ({ resources, keys }) => void connection?.provide(resources, keys).catch(() => undefined),
);

/** Opens the connection again after the lab worker died. */
export const reconnectLab = (device: DeviceChoice): void => {
  if (opener) connectLab(opener, device);
};

export const lab = (): LabConnection => {
  if (!connection) throw new Error('the lab is not connected');
  return connection;
};
