import { asSentence, messageOf } from '../../../base/errors.ts';
import { STORAGE_FULL, storageFault } from '../../../base/storage-faults.ts';
import { CheckpointError } from '../../../policy/checkpoint/checkpoint-error.ts';
import { CheckpointFault } from './plan/fault.ts';
import type { Outcome } from '../../contract/checkpoints.ts';

/** Errors as values: they lose their class on the way between workers. */

const UNEXPECTED = 'Try again; if that does not help, copy this text into a bug report.';

export function toFault(error: unknown): CheckpointFault {
  if (error instanceof CheckpointFault) return error;
  if (error instanceof CheckpointError)
    return new CheckpointFault(
      'unsupported',
      error.message.slice(0, -(error.remedy.length + 1)),
      `${error.remedy}.`,
      { cause: error },
    );
  const fault = storageFault(error);
  if (fault)
    return new CheckpointFault(
      fault === STORAGE_FULL ? 'storage-full' : 'missing',
      asSentence(fault.what),
      asSentence(fault.todo),
      { cause: error },
    );
  const message = messageOf(error);
  // What a file of a folder says when it was moved or changed since it was chosen.
  if (error instanceof DOMException && ['NotReadableError', 'NotFoundError'].includes(error.name))
    return new CheckpointFault(
      'changed',
      `A file could not be read any more: ${message}`,
      'Choose the folder again.',
    );
  return new CheckpointFault('bad-answer', message, UNEXPECTED, { cause: error });
}

export async function outcome<T>(act: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { status: 'ready', value: await act() };
  } catch (error) {
    return { status: 'failed', fault: toFault(error).toFault() };
  }
}

export const busy = (): CheckpointFault =>
  new CheckpointFault(
    'busy',
    'Another tab is working on this checkpoint.',
    'Continue there, or pause it there first.',
  );
