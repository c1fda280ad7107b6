import type { LoadedWorld, RetrievalFiles } from '../contract/retrieval.ts';
import { startRetrieval } from '../corpus/retrieval/start-retrieval.ts';
import { PartsBoard } from '../workers/parts-board.ts';
import type { WorkerFactory } from '../workers/workers.ts';
import type { MadeWorld } from './sets.ts';

export interface MadeWorldOptions {
  made: { form: 1 | 2; seed: number };
  files: RetrievalFiles;
  workers: WorkerFactory;
  /** Told how far it is, in words. */
  note: (text: string) => void;
}

/**
 * Makes a world in a retrieval worker of its own, apart from that of the page.
 * @throws Error in words; WorkerLost
 */
export async function startMadeWorld({
  made,
  files,
  workers,
  note,
}: MadeWorldOptions): Promise<MadeWorld> {
  const lost = new AbortController();
  let terminate = (): void => undefined;
  let world: LoadedWorld | null = null;
  const board = new PartsBoard(({ world: { note: text, loadedBytes, totalBytes } }) => {
    const share = totalBytes > 0 ? `, ${Math.floor((100 * loadedBytes) / totalBytes)} %` : '';
    note(`the world of form ${made.form}, seed ${made.seed}: ${text}${share}`);
  });
  try {
    const started = await startRetrieval({
      workers,
      files: { ...files, made },
      board,
      onLost: (error) => lost.abort(error),
      form: 2,
      onWorld: (loaded) => (world = loaded),
      onStarted: (end) => (terminate = end),
    });
    if (!world) throw new Error('The world was not made.');
    return { world, open: (spec) => started.open(spec), lost: lost.signal, terminate };
  } catch (error) {
    terminate();
    throw error;
  }
}
