import { NullBindGroup, NullBindGroupLayout } from './bind-group.ts';
import { BUFFER_USAGE, NullBuffer, type Book } from './buffer.ts';
import { GpuCounter } from './counts.ts';
import { NullCommandEncoder, type NullCommandBuffer, type NullPipeline } from './encoder.ts';
import { ErrorScopes } from './errors.ts';

interface PipelineLayout {
  readonly layouts: readonly NullBindGroupLayout[];
}

const mappable = BUFFER_USAGE.MAP_READ | BUFFER_USAGE.MAP_WRITE;

/** Counts what it is asked for and checks it as far as it can without reading WGSL; executes nothing. */
export class NullDevice extends EventTarget {
  readonly limits: Readonly<Record<string, number>>;
  readonly features: ReadonlySet<string>;
  readonly counter: GpuCounter;
  readonly label = 'null';
  readonly adapterInfo: Readonly<Record<string, unknown>>;
  readonly lost: Promise<{ reason: string; message: string }>;
  /** As a driver does that resets: nothing that was made is of use after it. */
  readonly lose: (message: string) => void;
  readonly queue: NullQueue;
  onuncapturederror: ((event: Event) => void) | null = null;
  readonly #book: Book;
  readonly #memory: number;
  #pipelines = 0;

  constructor(
    given: Pick<NullDevice, 'limits' | 'features' | 'adapterInfo'>,
    counter: GpuCounter,
    memory: number,
  ) {
    super();
    this.limits = given.limits;
    this.features = given.features;
    this.adapterInfo = given.adapterInfo;
    this.counter = counter;
    this.#memory = memory;
    const { promise, resolve } = promiseOf<{ reason: string; message: string }>();
    this.lost = promise;
    this.lose = (message) => resolve({ reason: 'unknown', message });
    this.destroy = () => resolve({ reason: 'destroyed', message: 'the device was destroyed' });
    const scopes = new ErrorScopes(counter, (error) => {
      const event = Object.assign(new Event('uncapturederror', { cancelable: true }), { error });
      this.onuncapturederror?.(event);
      this.dispatchEvent(event);
    });
    this.#book = { counter, scopes };
    this.queue = new NullQueue(this.#book);
  }

  readonly destroy: () => void;

  pushErrorScope(filter: GPUErrorFilter): void {
    this.#book.scopes.push(filter);
  }

  popErrorScope(): Promise<unknown> {
    return this.#book.scopes.pop();
  }

  createBuffer(descriptor: GPUBufferDescriptor): NullBuffer {
    const { size, usage, mappedAtCreation } = descriptor;
    const most = this.limits['maxBufferSize'] ?? Infinity;
    const isMapped = (usage & mappable) !== 0;
    const others = usage & ~(mappable | BUFFER_USAGE.COPY_DST | BUFFER_USAGE.COPY_SRC);
    let valid = false;
    if (size > most) this.#invalid(`createBuffer: ${size} bytes; the device allows ${most}`);
    else if (isMapped && others !== 0)
      this.#invalid('createBuffer: MAP_* with a use other than copies');
    else if (mappedAtCreation && size % 4 !== 0)
      throw new RangeError('createBuffer: the size of a mapped buffer must be a multiple of 4');
    else if (this.counter.liveBytes + size > this.#memory)
      this.#book.scopes.report('out-of-memory', `createBuffer: no memory for ${size} bytes`);
    else valid = true;
    return new NullBuffer(descriptor, this.#book, valid);
  }

  createShaderModule({ code, label = '' }: GPUShaderModuleDescriptor) {
    this.counter.event('shaderModules');
    return { code, label, getCompilationInfo: () => Promise.resolve({ messages: [] }) };
  }

  createBindGroupLayout({ entries }: GPUBindGroupLayoutDescriptor): NullBindGroupLayout {
    return new NullBindGroupLayout(entries);
  }

  createPipelineLayout(descriptor: GPUPipelineLayoutDescriptor): PipelineLayout {
    const layouts = [...descriptor.bindGroupLayouts] as unknown as NullBindGroupLayout[];
    for (const kind of ['storage', 'uniform'] as const) {
      const name = `max${kind === 'storage' ? 'Storage' : 'Uniform'}BuffersPerShaderStage`;
      const count = layouts.reduce((sum, layout) => sum + layout.count(kind), 0);
      if (count > (this.limits[name] ?? Infinity))
        this.#invalid(`createPipelineLayout: ${count} ${kind} buffers, over ${name}`);
    }
    return { layouts };
  }

  createComputePipeline({
    layout,
    compute,
    label = '',
  }: GPUComputePipelineDescriptor): NullPipeline {
    this.counter.event('pipelines');
    const { code } = compute.module as unknown as { code: string };
    const stated = layout === 'auto' ? null : (layout as unknown as PipelineLayout).layouts;
    const implied = new NullBindGroupLayout(null);
    const groups = stated && stated.length;
    const getBindGroupLayout = (index: number) => (stated ? stated[index] : implied);
    return { id: this.#pipelines++, label, code, groups, getBindGroupLayout };
  }

  createComputePipelineAsync(descriptor: GPUComputePipelineDescriptor): Promise<NullPipeline> {
    return Promise.resolve().then(() => this.createComputePipeline(descriptor));
  }

  createBindGroup(descriptor: GPUBindGroupDescriptor): NullBindGroup {
    this.counter.event('bindGroups');
    const group = new NullBindGroup(descriptor, this.limits);
    if (group.fault) this.#invalid(`createBindGroup: ${group.fault}`);
    return group;
  }

  createQuerySet({ type, count }: GPUQuerySetDescriptor) {
    if (type === 'timestamp' && !this.features.has('timestamp-query'))
      throw new TypeError('createQuerySet: the device has no timestamp-query');
    this.counter.event('querySets');
    return { type, count, destroy: () => undefined };
  }

  createCommandEncoder(): NullCommandEncoder {
    return new NullCommandEncoder(
      this.#book,
      this.limits['maxComputeWorkgroupsPerDimension'] ?? Infinity,
    );
  }

  #invalid(message: string): void {
    this.#book.scopes.report('validation', message);
  }
}

class NullQueue {
  readonly #book: Book;

  constructor(book: Book) {
    this.#book = book;
  }

  submit(given: Iterable<NullCommandBuffer>): void {
    this.#book.counter.event('submits');
    for (const buffer of given) {
      const fault = submitFault(buffer);
      buffer.submitted = true;
      if (fault) this.#book.scopes.report('validation', `submit: ${fault}`);
      else for (const command of buffer.commands) command.execute();
    }
  }

  writeBuffer(
    buffer: NullBuffer,
    offset: number,
    data: ArrayBufferLike | ArrayBufferView,
    from = 0,
    count?: number,
  ): void {
    // Of a typed array, `from` and `count` are elements.
    const unit = 'BYTES_PER_ELEMENT' in data ? Number(data.BYTES_PER_ELEMENT) : 1;
    const bytes = count === undefined ? data.byteLength - from * unit : count * unit;
    let fault: string | null = null;
    if (!buffer.alive) fault = 'the buffer is destroyed';
    else if (offset % 4 !== 0 || bytes % 4 !== 0) fault = 'offset and size must be multiples of 4';
    else if (offset + bytes > buffer.size) fault = 'the range is outside of the buffer';
    if (fault) this.#book.scopes.report('validation', `writeBuffer: ${fault}`);
    else {
      this.#book.counter.flow('writes', bytes);
      const begin = from * unit;
      buffer.write(
        offset,
        ArrayBuffer.isView(data)
          ? new Uint8Array(data.buffer, data.byteOffset + begin, bytes)
          : new Uint8Array(data, begin, bytes),
      );
    }
  }

  onSubmittedWorkDone(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}

function submitFault({ submitted, commands }: NullCommandBuffer): string | null {
  if (submitted) return 'the command buffer was submitted before';
  for (const { buffers } of commands)
    for (const { alive, mapState, label, id } of buffers) {
      if (!alive) return `buffer ${id} "${label}" is destroyed`;
      if (mapState !== 'unmapped') return `buffer ${id} "${label}" is ${mapState}`;
    }
  return null;
}

function promiseOf<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve };
}
