import { messageOf } from '../../../base/errors.ts';
import type { AskAddress } from '../store/permalink.ts';
import { openLinkedStep, setLinkedStep } from '../store/training-step.ts';

/** Shows the rollouts that an address names, if they are not those of this page. Never rejects. */
export const openLinked = async (of: NonNullable<AskAddress['of']>): Promise<void> => {
  if (!('file' in of)) return openLinkedStep(of);
  try {
    // Loaded on demand, because few addresses name a file.
    const { openRecord } = await import('./open-record.ts');
    await openRecord(of);
  } catch (error) {
    setLinkedStep(false, `A part of the page could not be loaded: ${messageOf(error)}`);
  }
};
