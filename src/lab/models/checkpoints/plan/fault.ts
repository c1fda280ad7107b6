import type { Fault, FaultKind } from '../../../contract/records/checkpoints.ts';
import { oneLine } from '../../../../base/errors.ts';

export class CheckpointFault extends Error implements Fault {
  override readonly name = 'CheckpointFault';
  readonly kind: FaultKind;
  readonly next: string;
  /** Seconds after which the server wants to be asked again, where it said so. */
  readonly retryAfter: number | null;

  constructor(
    kind: FaultKind,
    message: string,
    next: string,
    options: ErrorOptions & { retryAfter?: number | null } = {},
  ) {
    // Names inside damaged files may hold anything; the message stays one readable line.
    super(oneLine(message, 800), options);
    this.kind = kind;
    this.next = next;
    this.retryAfter = options.retryAfter ?? null;
  }

  toFault(): Fault {
    return { kind: this.kind, message: this.message, next: this.next };
  }
}
