import { EvaluationDatabase } from '../src/lab/evaluate/database.ts';
import { EvaluationStore } from '../src/lab/evaluate/store.ts';
import { CheckpointDatabase } from '../src/lab/models/checkpoints/database.ts';
import { CheckpointStore } from '../src/lab/models/checkpoints/store.ts';
import { RolloutsDatabase } from '../src/lab/rollouts/database.ts';
import { RolloutsHost } from '../src/lab/rollouts/host.ts';
import { Spelling } from '../src/lab/rollouts/spelling.ts';
import { RolloutsStore } from '../src/lab/rollouts/store.ts';
import { tokenizersOf } from '../src/lab/rollouts/tokenizers.ts';
import { ownRunsOf } from '../src/lab/rollouts/own-runs.ts';
import { ForageDatabase } from '../src/lab/storage/database.ts';
import { freeDeleted } from '../src/lab/storage/free-deleted.ts';
import { OpfsRangeFiles } from '../src/lab/storage/opfs-ranges.ts';
import { OpfsBlobs } from '../src/lab/storage/opfs.ts';
import { RunStore } from '../src/lab/storage/run-store.ts';
import { serve } from '../src/lab/rpc/serve.ts';

/**
 * The rollouts worker: imported rollout files. It is one of its own because reading a file takes the
 * processor for seconds, and the lab worker hands tokens of running rollouts to the page meanwhile.
 */

const LOCK = 'forage-inspection';
/** A page that was just closed lets go within this; another open tab does not. */
const LET_GO_MS = 700;

const store = new RolloutsStore(new RolloutsDatabase());

/** Files that a closed page left half read are marked so, unless another tab may still be reading. */
const recover = async (): Promise<void> => {
  const signal = AbortSignal.timeout(LET_GO_MS);
  await navigator.locks.request(LOCK, { signal }, () => store.recover()).catch(() => undefined);
  // Held for as long as this worker lives.
  navigator.locks
    .request(LOCK, { mode: 'shared' }, () => new Promise(() => undefined))
    .catch(() => undefined);
};

const runs = ownRunsOf(new RunStore(new ForageDatabase(), new OpfsBlobs()));

/** This file lies one folder below the page's root, in the source tree as in a build. */
const policy = new URL('../policy/', self.location.href).href;
const checkpoints = new CheckpointStore(new CheckpointDatabase(), new OpfsRangeFiles());
const spelling = new Spelling(tokenizersOf(policy, checkpoints));

const recovered = recover();
const evaluations = new EvaluationStore(new EvaluationDatabase());

// After `recover`: a file that a closed page left half read is not deleted.
void recovered.then(() => freeDeleted([(before) => store.purge(before)]));

serve(new RolloutsHost(store, runs, recovered, evaluations, spelling));
