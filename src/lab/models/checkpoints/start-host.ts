import { filesOfSite } from '../../storage/files-of-site.ts';
import { usedBytes } from '../../storage/quota.ts';
import { CheckpointsHost } from './host.ts';
import { browserStore } from './open.ts';
import { browserWeb } from './plan/web.ts';

/** The checkpoints of this browser, for the lab worker. */
export const startCheckpoints = (): CheckpointsHost =>
  new CheckpointsHost({
    store: browserStore(),
    web: browserWeb(),
    locks: navigator.locks,
    channel: new BroadcastChannel('forage-checkpoints'),
    free: async () => {
      const estimate = await filesOfSite().estimate();
      return estimate.quota === undefined ? null : estimate.quota - usedBytes(estimate);
    },
  });
