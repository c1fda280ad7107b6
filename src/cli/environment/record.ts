import { messageOf } from '../../base/errors.ts';
import type { Rollout } from '../../records/rollout.ts';
import { appendLines } from '../shared/append.ts';
import { pathFault } from '../shared/path-fault.ts';

/** Appends the rollouts of a server to `rollouts.jsonl`, one `forage.rollout/1` per line. */
export class RolloutFile {
  readonly #path: string;
  readonly #onFault: (why: string) => void;

  /**
   * @param onFault a later write failed
   * @throws UsageError where it cannot be written
   */
  constructor(path: string, onFault: (why: string) => void) {
    this.#path = path;
    this.#onFault = onFault;
    try {
      appendLines(path, []);
    } catch (error) {
      throw pathFault(path, 'written', error);
    }
  }

  add(rollout: Rollout): void {
    try {
      appendLines(this.#path, [JSON.stringify(rollout)]);
    } catch (error) {
      this.#onFault(messageOf(error));
    }
  }
}
