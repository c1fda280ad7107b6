import type { LabUser } from '../../lab/connection.ts';
import { failRun } from './actions.ts';
import { isRunning, useAsk } from './ask-store.ts';

/** Subscribes the Ask page to the lab: run state and rollout updates. */
export const askLabUser: LabUser = {
  receive: (message) => {
    const store = useAsk.getState();
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
  // The lab is gone and will not end the run; without this it would seem to run for ever.
  lost: (error) => {
    if (isRunning(useAsk.getState().run)) failRun(error);
  },
};
