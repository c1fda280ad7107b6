import type {
  LoadedWorld,
  WorldSeed,
  RetrievalApi,
  RetrievalFiles,
} from '../contract/retrieval.ts';
import { startRetrieval } from '../corpus/retrieval/start-retrieval.ts';
import { startWorker } from '../rpc/worker.ts';
import { PartTracker } from '../workers/part-tracker.ts';
import type { WorkerFactory } from '../workers/workers.ts';
import type { GeneratedWorld, StartedNames } from './sets.ts';

export interface GeneratedWorldOptions {
  made: WorldSeed;
  files: RetrievalFiles;
  workers: WorkerFactory;
  /** Told how far it is, as text. */
  note: (text: string) => void;
}

/**
 * Makes a world in a retrieval worker of its own, apart from that of the page.
 * @throws Error; WorkerLost
 */
export async function startGeneratedWorld({
  made,
  files,
  workers,
  note,
}: GeneratedWorldOptions): Promise<GeneratedWorld> {
  const lost = new AbortController();
  let terminate = (): void => undefined;
  let world: LoadedWorld | null = null;
  const tracker = new PartTracker(({ world: { note: text, loadedBytes, totalBytes } }) => {
    const share = totalBytes > 0 ? `, ${Math.floor((100 * loadedBytes) / totalBytes)} %` : '';
    note(`the world of seed ${made.seed}: ${text}${share}`);
  });
  try {
    const started = await startRetrieval({
      workers,
      files: { ...files, made },
      tracker,
      onLost: (error) => lost.abort(error),
      onWorld: (loaded) => (world = loaded),
      onStarted: (end) => (terminate = end),
    });
    if (!world) throw new Error('The world could not be generated.');
    return { world, open: (spec) => started.open(spec), lost: lost.signal, terminate };
  } catch (error) {
    terminate();
    throw error;
  }
}

/** A retrieval worker that loads nothing: what it makes is not searched. */
export function startGeneratedNames(workers: WorkerFactory): StartedNames {
  const { api, terminate } = startWorker<RetrievalApi>({
    name: 'retrieval',
    create: workers.retrieval,
    locks: workers.locks,
    // Reject the call in progress.
    onLost: () => undefined,
  });
  return { names: api.names, terminate };
}
