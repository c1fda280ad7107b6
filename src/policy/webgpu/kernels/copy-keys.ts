import type { Range } from '../device/device.ts';
import { GROUP_ID } from '../device/encoder.ts';
import type { Gpu } from '../device/gpu.ts';
import { padded } from '../device/sizes.ts';
import type { GpuKvCache } from '../device/values.ts';
import type { KvMove } from '../../ops/values.ts';

const THREADS = 64;
/** Moves of a dispatch: what a uniform of 256 bytes holds. */
const MOVES = 15;

const CODE = `struct Moves { count: u32, groups: u32, words: u32, unused: u32, moves: array<vec4u, ${MOVES}> }
@group(0) @binding(0) var<uniform> u: Moves;
@group(0) @binding(1) var<storage, read_write> keys: array<vec2u>;
@group(0) @binding(2) var<storage, read_write> values: array<vec2u>;
@compute @workgroup_size(${THREADS})
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) li: u32) {
  let id = ${GROUP_ID};
  let m = u.moves[min(id / u.groups, ${MOVES - 1}u)];
  let i = (id % u.groups) * ${THREADS}u + li;
  if (id / u.groups >= u.count || i >= m.z * u.words) { return; }
  keys[m.y * u.words + i] = keys[m.x * u.words + i];
  values[m.y * u.words + i] = values[m.x * u.words + i];
}`;

const BETWEEN = `struct Moves { count: u32, groups: u32, words: u32, unused: u32, moves: array<vec4u, ${MOVES}> }
@group(0) @binding(0) var<uniform> u: Moves;
@group(0) @binding(1) var<storage, read> keys: array<vec2u>;
@group(0) @binding(2) var<storage, read> values: array<vec2u>;
@group(0) @binding(3) var<storage, read_write> toKeys: array<vec2u>;
@group(0) @binding(4) var<storage, read_write> toValues: array<vec2u>;
@compute @workgroup_size(${THREADS})
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) li: u32) {
  let id = ${GROUP_ID};
  let m = u.moves[min(id / u.groups, ${MOVES - 1}u)];
  let i = (id % u.groups) * ${THREADS}u + li;
  if (id / u.groups >= u.count || i >= m.z * u.words) { return; }
  toKeys[m.y * u.words + i] = keys[m.x * u.words + i];
  toValues[m.y * u.words + i] = values[m.x * u.words + i];
}`;

/** Copies positions of a store to others of it, or of `to`; ranges that overlap are not allowed. */
export function copyKeys(
  gpu: Gpu,
  store: GpuKvCache,
  to: GpuKvCache,
  moves: readonly KvMove[],
): void {
  for (const { from, to: target, count } of moves) {
    if (Math.max(from + count, 0) > store.positions || target + count > to.positions)
      throw new RangeError(
        `positions ${from} and ${target}, ${count} of each, in stores of ${store.positions} and ${to.positions}`,
      );
  }
  // Words of 8 bytes of a position.
  const words = (store.kvHeads * store.dim * (store.type === 'f16' ? 2 : 4)) / 8;
  const inside = store === to;
  const bindings: Range[] = [store.keys, store.values, ...(inside ? [] : [to.keys, to.values])];
  for (let at = 0; at < moves.length; at += MOVES) {
    const some = moves
      .slice(at, at + MOVES)
      .map(({ from, to: target, count }) => [from, target, padded(count, 8), 0]);
    const longest = Math.max(...some.map(([, , count = 0]) => count));
    const groups = Math.ceil((longest * words) / THREADS);
    gpu.encoder.dispatch(
      {
        key: inside ? 'copy-keys' : 'copy-keys-between',
        code: () => (inside ? CODE : BETWEEN),
        access: inside ? 'ww' : 'rrww',
      },
      bindings,
      [some.length, groups, words, 0, ...some.flat()],
      groups * some.length,
    );
  }
}
