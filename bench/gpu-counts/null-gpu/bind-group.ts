import { BUFFER_USAGE, NullBuffer } from './buffer.ts';
import type { BoundRange } from './counts.ts';

/** A layout that was stated; one that WGSL implies has no entries here, for nothing reads the WGSL. */
export class NullBindGroupLayout {
  readonly entries: readonly GPUBindGroupLayoutEntry[] | null;

  constructor(entries: Iterable<GPUBindGroupLayoutEntry> | null) {
    this.entries = entries && [...entries].toSorted((a, b) => a.binding - b.binding);
  }

  /** Buffers of a type that a shader of this layout may read or write. */
  count(kind: 'uniform' | 'storage'): number {
    const types = (this.entries ?? []).flatMap(({ buffer }) =>
      buffer ? [buffer.type ?? 'uniform'] : [],
    );
    return types.filter((type) => (type === 'uniform') === (kind === 'uniform')).length;
  }
}

interface Entry {
  readonly range: BoundRange;
  readonly buffer: NullBuffer;
  readonly dynamic: boolean;
}

type Limits = Readonly<Record<string, number>>;

const accessOf = (layout: GPUBindGroupLayoutEntry | undefined): BoundRange['access'] => {
  if (!layout?.buffer) return 'unknown';
  const type = layout.buffer.type ?? 'uniform';
  if (type === 'uniform') return 'uniform';
  return type === 'read-only-storage' ? 'read' : 'write';
};

/** The buffer and range of an entry; null for textures and samplers, which take no part here. */
function bufferOf(resource: unknown): GPUBufferBinding | null {
  if (resource instanceof NullBuffer) return { buffer: resource as unknown as GPUBuffer };
  const binding = resource as GPUBufferBinding;
  return (binding.buffer as unknown) instanceof NullBuffer ? binding : null;
}

export class NullBindGroup {
  readonly entries: readonly Entry[];
  /** What is wrong with it; null where nothing is. */
  readonly fault: string | null;

  constructor({ entries, layout }: GPUBindGroupDescriptor, limits: Limits) {
    const { entries: stated } = layout as unknown as NullBindGroupLayout;
    const given = [...entries].toSorted((a, b) => a.binding - b.binding);
    this.entries = given.flatMap(({ binding, resource }) => {
      const found = bufferOf(resource);
      if (!found) return [];
      const buffer = found.buffer as unknown as NullBuffer;
      const like = stated?.find((one) => one.binding === binding);
      const offset = found.offset ?? 0;
      const range = { buffer, offset, size: found.size ?? buffer.size - offset };
      const dynamic = like?.buffer?.hasDynamicOffset ?? false;
      return [{ range: { ...range, access: accessOf(like) }, buffer, dynamic }];
    });
    const faults = this.entries.map((entry) => faultOf(entry, limits));
    if (stated && stated.length !== given.length)
      faults.push(`it has ${given.length} entries, its layout ${stated.length}`);
    this.fault = faults.find((fault) => fault !== null) ?? null;
  }

  /** Ranges of a dispatch; `offsets` are those of the dynamic entries in their order. */
  ranges(offsets: readonly number[]): BoundRange[] {
    let next = 0;
    return this.entries.map(({ range, dynamic }) =>
      dynamic ? { ...range, offset: range.offset + (offsets[next++] ?? 0) } : range,
    );
  }
}

function faultOf({ range, buffer }: Entry, limits: Limits): string | null {
  const { offset, size, access } = range;
  const uniform = access === 'uniform';
  const needed = uniform ? BUFFER_USAGE.UNIFORM : BUFFER_USAGE.STORAGE;
  const align = limits[`min${uniform ? 'Uniform' : 'Storage'}BufferOffsetAlignment`] ?? 1;
  const most = limits[`max${uniform ? 'Uniform' : 'Storage'}BufferBindingSize`] ?? Infinity;
  if (access !== 'unknown' && (buffer.usage & needed) === 0)
    return `buffer "${buffer.label}" may not be bound as ${uniform ? 'uniform' : 'storage'}`;
  if (offset % align !== 0) return `offset ${offset} is no multiple of ${align}`;
  if (size <= 0 || offset + size > buffer.size)
    return `bytes ${offset} to ${offset + size} of buffer "${buffer.label}" of ${buffer.size}`;
  if (size > most) return `a binding of ${size} bytes; the device allows ${most}`;
  return null;
}
