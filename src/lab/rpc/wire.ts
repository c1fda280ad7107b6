import { messageOf } from '../../base/errors.ts';
import { transfer as withTransfers } from 'comlink';
import { isObjectOrList } from '../../base/objects.ts';

/** What travels between a remote and the host that it calls. */

/** One call; its arguments follow as they are, so that comlink passes callbacks and ports. */
export interface CallHeader {
  /** Identifies the call until it ends. */
  call: number;
  /** From the host to the method: `['train', 'pause']`. */
  path: readonly string[];
  /** Index of the argument that is an AbortSignal; null where there is none. */
  signal: number | null;
}

/**
 * A callback that is handed to a method of this name is a subscription: the host may use it as long as
 * the worker lives. One that is handed to any other method is silent once that call has ended.
 */
const SUBSCRIBING = 'listen';

export const subscribes = (path: readonly string[]): boolean => path.at(-1) === SUBSCRIBING;

/** An error as it crosses: structured cloning would lose its name and cause. */
export interface PackedError {
  name: string;
  message: string;
  stack?: string | undefined;
  cause?: PackedError;
}

export type Outcome = { returned: unknown } | { threw: PackedError };

/** The far end of every worker: calls of any host go through these two. */
export interface Served {
  call(header: CallHeader, ...args: unknown[]): Promise<Outcome>;
  abort(call: number, reason: PackedError): void;
}

/** Causes may form a circle; nobody reads deeper. */
const MOST_CAUSES = 8;

export function packError(thrown: unknown, depth = 0): PackedError {
  if (!(thrown instanceof Error)) return { name: 'Error', message: String(thrown) };
  const { name, stack, cause } = thrown;
  // Not all of what a fault of storage wraps crosses to the other thread.
  const message = messageOf(thrown);
  const goesOn = cause !== undefined && depth < MOST_CAUSES;
  return { name, message, stack, ...(goesOn && { cause: packError(cause, depth + 1) }) };
}

export function unpackError({ name, message, stack, cause }: PackedError): Error {
  const error = cause ? new Error(message, { cause: unpackError(cause) }) : new Error(message);
  Object.defineProperties(error, {
    name: { value: name, configurable: true, writable: true },
    ...(stack !== undefined && { stack: { value: stack, configurable: true, writable: true } }),
  });
  return error;
}

const transfers = new WeakMap<object, Transferable[]>();

/**
 * Marks an argument or a result: these parts of it are moved to the other thread, not copied. Nothing
 * may use them here afterwards.
 */
export function transfer<T extends object>(value: T, parts: Transferable[]): T {
  transfers.set(value, parts);
  return value;
}

/** `envelope`, with the parts moved that `value` was marked with; ports always are. */
export function withMarked<T extends object>(envelope: T, value: unknown): T {
  if (!isObjectOrList(value)) return envelope;
  const parts = value instanceof MessagePort ? [value] : transfers.get(value);
  return parts ? withTransfers(envelope, parts) : envelope;
}

const follow = (at: unknown, key: string): unknown => Reflect.get(Object(at) as object, key);

/** Calls the method at a path of a host. @throws TypeError where there is none */
export function invoke(host: object, path: readonly string[], args: unknown[]): unknown {
  const owner: unknown = path.slice(0, -1).reduce(follow, host);
  const method = follow(owner, path.at(-1) ?? '');
  if (typeof method !== 'function') throw new TypeError(`there is no method ${path.join('.')}`);
  return Reflect.apply(method, owner, args);
}
