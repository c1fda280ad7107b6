/** A part of a buffer that a shader was given. */
export interface BoundRange {
  readonly buffer: {
    readonly id: number;
    readonly label: string;
    readonly size: number;
    readonly written?: Uint8Array<ArrayBuffer> | null;
  };
  /** Bytes; a dynamic offset is included. */
  readonly offset: number;
  readonly size: number;
  /** What the layout allows; `unknown` where the layout was derived from the shader. */
  readonly access: 'read' | 'write' | 'uniform' | 'unknown';
  /** What the host had written there when it ran, of small ranges of small buffers; kept while recording. */
  readonly words?: Uint32Array | undefined;
}

export interface Dispatch {
  /** The pipeline's number, its label and the WGSL it was made of. */
  readonly pipeline: { readonly id: number; readonly label: string; readonly code: string };
  /** null where the numbers are in a buffer. */
  readonly workgroups: readonly [x: number, y: number, z: number] | null;
  readonly bound: readonly BoundRange[];
}

interface Transfers {
  readonly count: number;
  readonly bytes: number;
}

/** What was asked of the device since the last `restart`; sizes in bytes. */
export interface GpuCounts {
  /** Executed ones alone: those of command buffers that were submitted. `indirect` are among them. */
  readonly dispatches: number;
  readonly indirectDispatches: number;
  /** Of the direct ones. */
  readonly workgroups: number;
  /** Sum of the ranges that all dispatches were given: each buffer counts once a dispatch and binding. */
  readonly boundBytes: number;
  readonly submits: number;
  readonly encoders: number;
  readonly passes: number;
  readonly bindGroups: number;
  readonly pipelines: number;
  readonly shaderModules: number;
  readonly querySets: number;
  readonly errorScopes: number;
  /** Between buffers of the device. */
  readonly copies: Transfers;
  readonly clears: Transfers;
  /** From host to device: `writeBuffer`, and what was mapped to be written. */
  readonly writes: Transfers;
  /** From device to host. */
  readonly readbacks: Transfers;
  readonly buffersCreated: Transfers;
  readonly buffersDestroyed: Transfers;
  readonly unmaps: number;
  /** In buffers that exist now; the most that existed at a time since; the largest single one made. */
  readonly liveBytes: number;
  readonly peakBytes: number;
  readonly largestBuffer: number;
  /** Errors that the device reported, in a scope or uncaptured. */
  readonly errors: readonly string[];
}

type Flow = 'copies' | 'clears' | 'writes' | 'readbacks' | 'buffersCreated' | 'buffersDestroyed';
type Event =
  | 'submits'
  | 'encoders'
  | 'passes'
  | 'bindGroups'
  | 'pipelines'
  | 'shaderModules'
  | 'querySets'
  | 'errorScopes'
  | 'unmaps';

const FLOWS: readonly Flow[] = [
  'copies',
  'clears',
  'writes',
  'readbacks',
  'buffersCreated',
  'buffersDestroyed',
];
const EVENTS: readonly Event[] = [
  'submits',
  'encoders',
  'passes',
  'bindGroups',
  'pipelines',
  'shaderModules',
  'querySets',
  'errorScopes',
  'unmaps',
];

const zeros = <K extends string, V>(keys: readonly K[], value: () => V): Record<K, V> =>
  Object.fromEntries(keys.map((key) => [key, value()])) as Record<K, V>;

/** Ranges up to this many bytes keep their words. */
const KEPT = 2 ** 16;

function withWords(range: BoundRange): BoundRange {
  const { buffer, offset, size } = range;
  if (!buffer.written || size > KEPT) return range;
  return { ...range, words: new Uint32Array(buffer.written.slice(offset, offset + size).buffer) };
}

/** The book that a null device keeps. */
export class GpuCounter {
  /** Dispatches in the order of their execution, kept while `recording`. */
  dispatches: Dispatch[] = [];
  recording = false;
  #executed = { dispatches: 0, indirectDispatches: 0, workgroups: 0, boundBytes: 0 };
  #events = zeros(EVENTS, () => 0);
  #flows = zeros(FLOWS, () => ({ count: 0, bytes: 0 }));
  #live = 0;
  #peak = 0;
  #largest = 0;
  #errors: string[] = [];

  /** Forgets what was counted; buffers that exist stay, and are the peak so far. */
  restart(): void {
    this.dispatches = [];
    this.#executed = { dispatches: 0, indirectDispatches: 0, workgroups: 0, boundBytes: 0 };
    this.#events = zeros(EVENTS, () => 0);
    this.#flows = zeros(FLOWS, () => ({ count: 0, bytes: 0 }));
    this.#peak = this.#live;
    this.#largest = 0;
    this.#errors = [];
  }

  get counts(): GpuCounts {
    const flows = Object.fromEntries(
      Object.entries(this.#flows).map(([name, flow]) => [name, { ...flow }]),
    ) as Record<Flow, Transfers>;
    return {
      ...this.#executed,
      ...this.#events,
      ...flows,
      liveBytes: this.#live,
      peakBytes: this.#peak,
      largestBuffer: this.#largest,
      errors: [...this.#errors],
    };
  }

  get liveBytes(): number {
    return this.#live;
  }

  event(name: Event): void {
    this.#events[name]++;
  }

  flow(name: Flow, bytes: number): void {
    this.#flows[name].count++;
    this.#flows[name].bytes += bytes;
  }

  created(bytes: number): void {
    this.flow('buffersCreated', bytes);
    this.#live += bytes;
    this.#peak = Math.max(this.#peak, this.#live);
    this.#largest = Math.max(this.#largest, bytes);
  }

  destroyed(bytes: number): void {
    this.flow('buffersDestroyed', bytes);
    this.#live -= bytes;
  }

  executed(dispatch: Dispatch): void {
    const { workgroups, bound } = dispatch;
    this.#executed.dispatches++;
    if (workgroups) this.#executed.workgroups += workgroups[0] * workgroups[1] * workgroups[2];
    else this.#executed.indirectDispatches++;
    for (const { size } of bound) this.#executed.boundBytes += size;
    if (this.recording) this.dispatches.push({ ...dispatch, bound: bound.map(withWords) });
  }

  error(message: string): void {
    this.#errors.push(message);
  }
}
