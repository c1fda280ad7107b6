import { median } from '../../base/statistics.ts';
import { createYield } from '../../base/yielding.ts';
import type { Ops } from '../ops/ops.ts';

/** How fast a device copies and multiplies: what its engine's speed is compared with. */
export interface DeviceRates {
  /** Bytes read and written a second by a copy. */
  readonly copy: number;
  /** Operations a second (2 a multiply-add) of a product of float32 matrices. */
  readonly product: number;
}

/** What a measurement that takes a while is followed by. */
export interface Watch {
  readonly signal?: AbortSignal | undefined;
  /** How much of it is done, 0 to 1; it never falls. */
  readonly onShare?: ((share: number) => void) | undefined;
}

/** Longest that one figure is measured, seconds. */
const LONGEST = 4;
const MOST_RUNS = 24;

/**
 * Median seconds of a piece of work that runs by itself: first once unmeasured, so that kernels are there.
 * @throws the signal's reason
 */
export async function timed(
  ops: Ops,
  work: () => void | Promise<void>,
  { signal, onShare }: Watch = {},
): Promise<number> {
  const heard = createYield();
  const once = async (): Promise<number> => {
    signal?.throwIfAborted();
    const start = performance.now();
    await work();
    ops.submit();
    await ops.settled();
    const seconds = (performance.now() - start) / 1000;
    // A device that computes in this thread would hear of a stop only at the end.
    await heard();
    return seconds;
  };
  const first = await once();
  const seconds: number[] = [];
  let [total, share] = [0, 0];
  const tell = (): void => {
    const each = total > 0 ? total / seconds.length : first;
    const runs = Math.min(MOST_RUNS - seconds.length, Math.ceil((LONGEST - total) / each));
    const spent = first + total;
    // A run that took longer than those before must not make it less.
    share = Math.max(share, spent / (spent + Math.max(0, runs) * each));
    onShare?.(share);
  };
  tell();
  while (seconds.length < MOST_RUNS && total < LONGEST) {
    const one = await once();
    seconds.push(one);
    total += one;
    tell();
  }
  return median(seconds) ?? Number.NaN;
}

/** Sizes of the trial: large enough for a GPU to be busy, small enough for a phone. */
const COPY = { positions: 2 ** 14, kvHeads: 8, headDim: 64 };
const PRODUCT = { rows: 512, size: 1024 };
/** Calls in one submit, so that handing work over does not count. */
const TIMES = { wasm: 1, webgpu: 8 };

/** Measures copies and products of a device. @throws the signal's reason; MemoryError */
export async function measureRates(
  ops: Ops,
  { signal, onShare }: Watch = {},
): Promise<DeviceRates> {
  const half = (before: number): Watch => ({
    signal,
    onShare: (share) => onShare?.((before + share) / 2),
  });
  const times = ops.device === 'webgpu' ? TIMES.webgpu : TIMES.wasm;
  const { positions, kvHeads, headDim } = COPY;
  const bytes = 2 * 4 * positions * kvHeads * headDim;
  const [from, to] = ['from', 'to'].map((label) => ops.kvCache({ ...COPY, type: 'f32' }, label));
  const { rows, size } = PRODUCT;
  const writer = ops.matrix({ out: size, in: size, type: 'f32' }, 'trial');
  writer.write(0, new Float32Array(size * size).fill(1 / size));
  const matrix = writer.finish();
  const tokens = ops.tokens(rows);
  const [input, x] = ['in', 'out'].map((label) => ops.activations(rows, size, label));
  if (!from || !to || !input || !x) throw new Error('measure: a pair is two');
  try {
    const copying = await timed(
      ops,
      () => {
        for (let i = 0; i < times; i++)
          ops.copyKeys([from], [{ from: 0, to: 0, count: positions }], [to]);
      },
      half(0),
    );
    const ids = new Int32Array(rows);
    ops.place(tokens, [{ ids, position: 0, start: 0 }], 'many');
    // A row of the trial's own matrix, so that nothing is uninitialised.
    ops.embed({ table: matrix, tokens, x: input });
    ops.embed({ table: matrix, tokens, x });
    const by = { matrix, bias: null, lora: null };
    const multiplying = await timed(
      ops,
      () => {
        for (let i = 0; i < times; i++) ops.projectResidual({ input, by, tokens, x });
      },
      half(1),
    );
    return {
      copy: (times * 2 * bytes) / copying,
      product: (times * 2 * rows * size * size) / multiplying,
    };
  } finally {
    ops.free(from, to, matrix, tokens, input, x);
  }
}
