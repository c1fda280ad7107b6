import {
  closeSync,
  createWriteStream,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  type WriteStream,
} from 'node:fs';
import { once } from 'node:events';
import type { Rollout } from '../../records/rollout.ts';
import { UsageError } from '../shared/options.ts';
import { messageOf } from '../../base/errors.ts';

/** The native record of what a server ran: `rollouts.jsonl`, a `forage.rollout/1` a line, added to. */

/** A process that was killed may have left the beginning of a line. */
function endsWithinLine(path: string): boolean {
  if (!existsSync(path)) return false;
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const last = Buffer.alloc(1);
    return size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last[0] !== 10;
  } finally {
    closeSync(file);
  }
}

export class RolloutFile {
  readonly #stream: WriteStream;

  private constructor(stream: WriteStream, onFault: (why: string) => void) {
    this.#stream = stream;
    stream.on('error', (error) => onFault(messageOf(error)));
  }

  /**
   * @param onFault a later write failed
   * @throws UsageError where it cannot be written
   */
  static async open(path: string, onFault: (why: string) => void): Promise<RolloutFile> {
    try {
      const torn = endsWithinLine(path);
      const stream = createWriteStream(path, { flags: 'a' });
      await once(stream, 'open');
      if (torn) stream.write('\n');
      return new RolloutFile(stream, onFault);
    } catch (error) {
      throw new UsageError(messageOf(error));
    }
  }

  add(rollout: Rollout): void {
    this.#stream.write(`${JSON.stringify(rollout)}\n`);
  }

  /** All that was added is on its way to the disk. */
  async close(): Promise<void> {
    if (this.#stream.destroyed) return;
    this.#stream.end();
    await once(this.#stream, 'close');
  }
}
