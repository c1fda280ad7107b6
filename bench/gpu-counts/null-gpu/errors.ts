import type { GpuCounter } from './counts.ts';

/** Errors as WebGPU has them; it makes them known to `popErrorScope`, else to `uncapturederror`. */
class NullGpuError {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}
export class NullValidationError extends NullGpuError {}
export class NullOutOfMemoryError extends NullGpuError {}
export class NullInternalError extends NullGpuError {}

type Filter = 'validation' | 'out-of-memory' | 'internal';

const classOf = {
  validation: NullValidationError,
  'out-of-memory': NullOutOfMemoryError,
  internal: NullInternalError,
} as const;

/** The stack of error scopes of a device: the innermost of an error's kind keeps the first one. */
export class ErrorScopes {
  readonly #counter: GpuCounter;
  readonly #uncaptured: (error: NullGpuError) => void;
  readonly #stack: { filter: Filter; error: NullGpuError | null }[] = [];

  constructor(counter: GpuCounter, uncaptured: (error: NullGpuError) => void) {
    this.#counter = counter;
    this.#uncaptured = uncaptured;
  }

  push(filter: Filter): void {
    this.#counter.event('errorScopes');
    this.#stack.push({ filter, error: null });
  }

  pop(): Promise<NullGpuError | null> {
    const scope = this.#stack.pop();
    if (scope) return Promise.resolve(scope.error);
    return Promise.reject(new DOMException('popErrorScope: no scope is open', 'OperationError'));
  }

  report(filter: Filter, message: string): void {
    this.#counter.error(`${filter}: ${message}`);
    const error = new classOf[filter](message);
    const scope = this.#stack.findLast((one) => one.filter === filter);
    if (!scope) this.#uncaptured(error);
    else scope.error ??= error;
  }
}
