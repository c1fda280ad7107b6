import { afterEach, describe, expect, it, vi } from 'vitest';
import { itemAt } from '../../../src/base/items.ts';
import { Random } from '../../../src/base/random.ts';
import { blockBytes, WasmMemory } from '../../../src/policy/wasm/memory.ts';
import { createWasmOps } from '../../../src/policy/wasm/ops.ts';
import { ALL_TESTS } from '../../slow/slow.ts';
import { opCases } from '../ops/support/cases.ts';

interface Block {
  readonly at: number;
  readonly bytes: number;
}

describe('blocks', () => {
  it('never overlap, and are one again once all are released', async () => {
    const memory = await WasmMemory.create();
    const random = new Random(1);
    const whole = memory.allocate(0, 'first');
    memory.release(whole);
    for (let round = 0; round < 5; round++) {
      const held: Block[] = [];
      let most = 0;
      for (let turn = 0; turn < 60; turn++) {
        if (held.length > 0 && random.chance(0.4)) {
          const [block] = held.splice(random.below(held.length), 1);
          if (block) memory.release(block.at);
        } else {
          const bytes = random.below(5000);
          held.push({ at: memory.allocate(bytes, 'block'), bytes: blockBytes(bytes) });
        }
        const ordered = held.toSorted((a, b) => a.at - b.at);
        for (const [i, { at, bytes }] of ordered.entries()) {
          expect(at % 64).toBe(0);
          expect(at + bytes).toBeLessThanOrEqual(ordered[i + 1]?.at ?? Infinity);
          most = Math.max(most, at + bytes);
        }
        expect(memory.bytes).toBe(held.reduce((sum, { bytes }) => sum + bytes, 0));
      }
      for (const { at } of random.shuffle(held)) memory.release(at);
      expect(memory.bytes).toBe(0);
      // What lay in pieces is one piece: a block as large as all that was used begins where it began.
      const all = memory.allocate(most - whole - 64, 'all');
      expect(all).toBe(whole);
      memory.release(all);
    }
  });

  it('lie in the smallest gap that holds them', async () => {
    const memory = await WasmMemory.create();
    const sizes = [1000, 10, 300, 10, 2000, 10];
    const blocks = sizes.map((bytes) => memory.allocate(bytes, 'block'));
    for (const i of [0, 2, 4]) memory.release(itemAt(blocks, i));
    expect(memory.allocate(300, 'block')).toBe(blocks[2]);
    expect(memory.allocate(900, 'block')).toBe(blocks[0]);
    expect(memory.allocate(900, 'block')).toBe(blocks[4]);
    // The rest of a gap serves too.
    expect(memory.allocate(500, 'block')).toBe(itemAt(blocks, 4) + blockBytes(900));
  });

  it('are zeros where zeros were asked for, whatever lay there', async () => {
    const memory = await WasmMemory.create();
    const at = memory.allocate(500, 'used');
    memory.bytesAt(at, 500).fill(0xff);
    memory.release(at);
    expect(memory.zeros(400, 'zeros')).toBe(at);
    expect(memory.bytesAt(at, 400).every((byte) => byte === 0)).toBe(true);
  });

  it('of scratch stay while they are large enough, and go when they are dropped', async () => {
    const memory = await WasmMemory.create();
    const at = memory.scratch('a', 1000);
    expect(memory.scratch('a', 900)).toBe(at);
    expect(memory.scratch('a', 1000)).toBe(at);
    expect(memory.scratch('b', 10)).not.toBe(at);
    memory.scratch('a', 3000);
    expect(memory.bytes).toBe(blockBytes(3000) + blockBytes(10));
    memory.drop('a');
    memory.drop('b');
    memory.drop('never held');
    expect(memory.bytes).toBe(0);
  });
});

describe('an engine that gives little memory', () => {
  afterEach(() => vi.unstubAllGlobals());

  /** Refuses to reserve more than `most` bytes, as engines do with a RangeError. */
  function giving(most: number): number[] {
    const asked: number[] = [];
    const { Memory } = WebAssembly;
    class Small extends Memory {
      constructor(of: WebAssembly.MemoryDescriptor) {
        const bytes = (of.maximum ?? 0) * 65_536;
        asked.push(bytes);
        if (bytes > most) throw new RangeError('could not allocate memory');
        super(of);
      }
    }
    vi.stubGlobal('WebAssembly', Object.assign(Object.create(WebAssembly), { Memory: Small }));
    return asked;
  }

  it.each([4, 2, 1])('is asked for less until it gives: of %d GiB', async (most) => {
    const asked = giving(most * 2 ** 30);
    const memory = await WasmMemory.create();
    expect(asked.at(-1)).toBe(most * 2 ** 30);
    expect(memory.allocate(100, 'block')).toBeGreaterThan(0);
  });

  it('fills what it gives: room to spare is asked for where there is some', async () => {
    giving(2 ** 30);
    const memory = await WasmMemory.create();
    memory.allocate(0.7 * 2 ** 30, 'weights');
    expect(memory.allocate(0.25 * 2 ** 30, 'contexts')).toBeGreaterThan(0.7 * 2 ** 30);
    expect(() => memory.allocate(0.1 * 2 ** 30, 'more')).toThrow(/no memory for more/);
  });

  it('and less than 1 GiB is said to be too little', async () => {
    giving(2 ** 30 - 1);
    await expect(WasmMemory.create()).rejects.toThrow(/no memory of 1 GiB. Close other tabs/);
  });
});

describe('kernels', () => {
  afterEach(() => vi.restoreAllMocks());

  it.each(ALL_TESTS ? [6, 7] : [6])(
    'write nowhere but into what was allocated: cases of seed %i',
    async (seed) => {
      // After every block there are bytes that belong to no one. They must stay as they were.
      const guards = new Map<number, Block>();
      let bytesAt = (_at: number, bytes: number): Uint8Array => new Uint8Array(bytes);
      const check = (): void => {
        for (const { at, bytes } of guards.values())
          expect(bytesAt(at, bytes)).toEqual(new Uint8Array(bytes).fill(0xa5));
      };
      const { allocate, release } = Object.getOwnPropertyDescriptors(WasmMemory.prototype);
      vi.spyOn(WasmMemory.prototype, 'allocate').mockImplementation(function (
        this: WasmMemory,
        bytes,
        label,
      ) {
        bytesAt = (from, count) => this.bytesAt(from, count);
        const at = Number(allocate.value?.call(this, bytes, label));
        const guard = { at: at + bytes, bytes: blockBytes(bytes) - bytes };
        this.bytesAt(guard.at, guard.bytes).fill(0xa5);
        guards.set(at, guard);
        return at;
      });
      vi.spyOn(WasmMemory.prototype, 'release').mockImplementation(function (this: WasmMemory, at) {
        check();
        guards.delete(at);
        release.value?.call(this, at);
      });
      for (const one of opCases(seed)) {
        guards.clear();
        await one.run(await createWasmOps());
        expect(guards.size, one.name).toBeGreaterThan(0);
        check();
      }
    },
  );
});
