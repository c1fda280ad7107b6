import { oneLine } from '../../../../base/issue.ts';

/** What can go wrong with a checkpoint on its way to the device. */
export const FAULT_KINDS = [
  /** The text names no repository, address or folder. */
  'address',
  'offline',
  /** No answer: refused, no such host, or an answer that the page may not read. */
  'unreachable',
  /** The server is there and does not let other pages read it. */
  'cors',
  'gated',
  /** 401 or 403. */
  'denied',
  'not-found',
  'rate-limited',
  /** 5xx, or any other status that is no answer. */
  'server',
  /** An answer that is not what it should be. */
  'bad-answer',
  /** A file that a checkpoint needs is not there. */
  'incomplete',
  /** Weights in a format that the engine does not read. */
  'unsupported',
  /** The connection broke while a file was read. */
  'interrupted',
  /** A file is not what its hash or its own header says. */
  'damaged',
  /** A file became another one while it was read. */
  'changed',
  'storage-full',
  /** Another tab works on it. */
  'busy',
  /** Its files lie in a folder that has to be chosen again. */
  'needs-files',
  /** Not on this device, or not whole. */
  'missing',
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

/** As it crosses between workers, where errors lose their class. */
export interface Fault {
  kind: FaultKind;
  /** What happened, to what; and what to do next. */
  message: string;
  next: string;
}

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
