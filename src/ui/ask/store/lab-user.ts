import type { LabUser } from '../../lab/connection.ts';
import { failRun } from './actions.ts';
import { isRunning, useRun } from './run-store.ts';

/** What the Ask page takes from the lab: the state of its run and the updates of its rollouts. */
export const askLabUser: LabUser = {
  receive: (message) => {
    const store = useRun.getState();
    switch (message.type) {
      case 'run':
        return store.setRun(message.run);
      case 'unknown-names':
        return store.setUnknownNames(message.runId, message.names);
      case 'updates':
        return store.apply(message.updates);
      default:
        return undefined;
    }
  },
  // No message will end the run any more; without this it would seem to run for ever.
  lost: (error) => {
    if (isRunning(useRun.getState().run)) failRun(error);
  },
};
