import { asSentence, messageOf } from '../../base/errors.ts';
import type { Failure } from './records/failure.ts';

/** A file of our own that the server does not have. */
export class MissingFile extends Error {
  override readonly name = 'MissingFile';

  constructor(file: string, reason: string) {
    super(`The file ${file} could not be fetched (${reason})`);
  }
}

/** A worker that ended without being asked to. */
export class WorkerLost extends Error {
  override readonly name = 'WorkerLost';

  constructor(worker: string, reason: string) {
    super(`The ${worker} worker was lost: ${reason}`);
  }
}

/** A worker that lives, but whose policy says that it is of no use any more. */
export const workerGone = (worker: string, { message }: Error): WorkerLost =>
  new WorkerLost(worker, message.replace(/^policy: /, ''));

const KINDS: Record<string, Failure['kind']> = {
  MissingFile: 'missing',
  WorkerLost: 'lost',
  NoDemonstrations: 'no-demonstrations',
};

const REMEDIES: Record<Failure['kind'], string> = {
  missing: 'Check that the file is being served, then load again.',
  lost: 'Finished rollouts and everything stored are kept; restart it, then run again.',
  // The page of the run has buttons for it.
  'no-demonstrations': '',
  failed: '',
};

/** An error in the words of the user; errors that crossed a worker boundary keep their names. */
export const describeFailure = (error: unknown): Failure => {
  if (!(error instanceof Error)) return { kind: 'failed', message: String(error), detail: '' };
  const kind = KINDS[error.name] ?? 'failed';
  const sentence = asSentence(messageOf(error));
  return {
    kind,
    message: `${sentence} ${REMEDIES[kind]}`.trim(),
    detail: error.stack ?? error.message,
  };
};
