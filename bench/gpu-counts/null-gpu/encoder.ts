import type { NullBindGroup } from './bind-group.ts';
import type { NullBuffer, Book } from './buffer.ts';
import type { Dispatch } from './counts.ts';

export interface NullPipeline {
  readonly id: number;
  readonly label: string;
  readonly code: string;
  /** Groups that a dispatch must have; null where the layout was derived from the shader. */
  readonly groups: number | null;
  getBindGroupLayout(index: number): unknown;
}

/** What a submit will execute: the buffers it needs alive and unmapped, and what it counts. */
interface Command {
  readonly buffers: readonly NullBuffer[];
  execute(): void;
}

export class NullCommandBuffer {
  submitted = false;
  readonly commands: readonly Command[];
  constructor(commands: readonly Command[]) {
    this.commands = commands;
  }
}

type Bound = { group: NullBindGroup; offsets: readonly number[] };

/** Commands of one encoder; a fault is reported as WebGPU does, and the rest continues. */
class Recorder {
  readonly commands: Command[] = [];
  readonly book: Book;
  readonly mostWorkgroups: number;
  constructor(book: Book, mostWorkgroups: number) {
    this.book = book;
    this.mostWorkgroups = mostWorkgroups;
  }
  fault(message: string): void {
    this.book.scopes.report('validation', message);
  }
}

class NullComputePass {
  readonly #to: Recorder;
  #pipeline: NullPipeline | null = null;
  readonly #groups = new Map<number, Bound>();
  #open = true;

  constructor(to: Recorder) {
    this.#to = to;
    to.commands.push({ buffers: [], execute: () => to.book.counter.event('passes') });
  }

  setPipeline(pipeline: NullPipeline): void {
    this.#pipeline = pipeline;
  }

  setBindGroup(
    index: number,
    group: NullBindGroup | null,
    offsets: Iterable<number> = [],
    start = 0,
    length?: number,
  ): void {
    const all = [...offsets];
    const taken = all.slice(start, length === undefined ? undefined : start + length);
    if (group) this.#groups.set(index, { group, offsets: taken });
    else this.#groups.delete(index);
  }

  dispatchWorkgroups(x: number, y = 1, z = 1): void {
    const most = Math.max(x, y, z);
    if (most > this.#to.mostWorkgroups)
      this.#to.fault(`dispatch: ${most} workgroups in one dimension, over the device's limit`);
    else this.#dispatch([x, y, z], []);
  }

  dispatchWorkgroupsIndirect(buffer: NullBuffer, _offset: number): void {
    this.#dispatch(null, [buffer]);
  }

  #dispatch(workgroups: Dispatch['workgroups'], also: readonly NullBuffer[]): void {
    const pipeline = this.#pipeline;
    if (!this.#open) return this.#to.fault('dispatch: the pass has ended');
    if (!pipeline) return this.#to.fault('dispatch: no pipeline is set');
    const bound = [...this.#groups.entries()].toSorted(([a], [b]) => a - b).map(([, one]) => one);
    for (let index = 0; index < (pipeline.groups ?? 0); index++)
      if (!this.#groups.has(index)) return this.#to.fault(`dispatch: group ${index} is not set`);
    const dispatch = {
      pipeline: { id: pipeline.id, label: pipeline.label, code: pipeline.code },
      workgroups,
      bound: bound.flatMap(({ group, offsets }) => group.ranges(offsets)),
    };
    this.#to.commands.push({
      buffers: [...also, ...bound.flatMap(({ group }) => group.entries.map((e) => e.buffer))],
      execute: () => this.#to.book.counter.executed(dispatch),
    });
  }

  pushDebugGroup(): void {}
  popDebugGroup(): void {}
  insertDebugMarker(): void {}

  end(): void {
    this.#open = false;
  }
}

export class NullCommandEncoder {
  readonly #to: Recorder;

  constructor(book: Book, mostWorkgroups: number) {
    book.counter.event('encoders');
    this.#to = new Recorder(book, mostWorkgroups);
  }

  beginComputePass(): NullComputePass {
    return new NullComputePass(this.#to);
  }

  /** (source, destination, size?) or (source, from, destination, to, size?). */
  copyBufferToBuffer(source: NullBuffer, ...rest: (NullBuffer | number | undefined)[]): void {
    const short = typeof rest[0] !== 'number';
    const to = (short ? rest[0] : rest[1]) as NullBuffer;
    const from = short ? 0 : Number(rest[0]);
    const at = short ? 0 : Number(rest[2]);
    const bytes = (short ? rest[1] : rest[3]) ?? source.size - from;
    const size = Number(bytes);
    if (size % 4 !== 0 || from % 4 !== 0 || at % 4 !== 0)
      return this.#to.fault('copyBufferToBuffer: offsets and size must be multiples of 4');
    if (from + size > source.size || at + size > to.size)
      return this.#to.fault('copyBufferToBuffer: the range is outside of a buffer');
    this.#add([source, to], () => this.#to.book.counter.flow('copies', size));
  }

  clearBuffer(buffer: NullBuffer, offset = 0, size = buffer.size - offset): void {
    this.#add([buffer], () => this.#to.book.counter.flow('clears', size));
  }

  resolveQuerySet(_set: unknown, _first: number, count: number, to: NullBuffer): void {
    this.#add([to], () => this.#to.book.counter.flow('copies', 8 * count));
  }

  pushDebugGroup(): void {}
  popDebugGroup(): void {}
  insertDebugMarker(): void {}

  finish(): NullCommandBuffer {
    return new NullCommandBuffer(this.#to.commands);
  }

  #add(buffers: readonly NullBuffer[], execute: () => void): void {
    this.#to.commands.push({ buffers, execute });
  }
}
