import type { EngineWorker } from '../../policy/remote/webllm/start.ts';
import type { RetrievalFiles } from '../contract/retrieval.ts';
import type { Locks, WorkerLike } from '../rpc/life.ts';

/** Inputs of the host of questions: where files are, and how workers are started. */

export interface Places {
  /** Folder of the built-in policy, with a slash at its end. */
  policy: string;
  files: RetrievalFiles;
}

export interface WorkerFactory {
  policy: (life: string) => WorkerLike;
  retrieval: (life: string) => WorkerLike;
  webllm: (life: string) => EngineWorker & WorkerLike;
  locks: Locks;
}
