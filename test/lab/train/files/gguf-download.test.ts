import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DownloadKind } from '../../../../src/lab/contract/training.ts';
import type { RunRecord } from '../../../../src/lab/contract/records/runs.ts';
import { filesOf, type DownloadWatch } from '../../../../src/lab/train/downloads.ts';
import { initialState } from '../../../../src/learn/rl/state.ts';
import { adapterGguf } from '../../../../src/policy/gguf/write/adapter.ts';
import { mergedGguf } from '../../../../src/policy/gguf/write/model.ts';
import { getTraining } from '../../../../src/systems/index.ts';
import { bytesOf, writeBoth } from '../../../policy/gguf/write/made.ts';

let folder = '';
let made: Awaited<ReturnType<typeof writeBoth>>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'forage-gguf-download-'));
  made = await writeBoth(folder, 'qwen');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let held = 0;

async function download(kind: DownloadKind, watch?: DownloadWatch) {
  const { config, files, adapter } = made;
  const { rank, alpha, targets } = adapter.spec;
  const spec = { rank, alpha, targets: [...targets] };
  const settings = { ...getTraining('kunlun-baize/dapo'), adapter: spec };
  const { noUpdate: _, ...state } = initialState(settings, config);
  const run = { id: 'my-run', name: 'mine', settings, policy: { id: 'x', revision: 'r' } };
  const release = (): void => void held--;
  return filesOf(
    kind,
    {
      run: run as RunRecord,
      state: { ...state, adapter: adapter.flat },
      policy: {
        id: 'x',
        revision: 'r',
        config,
        stored: 'f16',
        engines: 1,
        open: () => {
          held++;
          return Promise.resolve({ files, release });
        },
      },
      steps: () => Promise.resolve([]),
    },
    watch,
  );
}

it.each([
  ['gguf-f16', 'my-run-f16.gguf', 'F16'],
  ['gguf-q8_0', 'my-run-q8_0.gguf', 'Q8_0'],
] as const)(
  '%s is the merged model as one file, and tells how far it is',
  async (kind, name, type) => {
    const seen: [number, number][] = [];
    const { signal } = new AbortController();
    const [file, ...rest] = await download(kind, { signal, onProgress: (...at) => seen.push(at) });
    expect(rest).toEqual([]);
    expect(file!.name).toBe(name);
    const wanted = await bytesOf(await mergedGguf(made.files, 'mine', name, type, made.adapter));
    expect(Buffer.compare(Buffer.from(await file!.blob.arrayBuffer()), wanted)).toBe(0);
    expect(seen.length).toBeGreaterThan(10);
    expect(seen.at(-1)).toEqual([wanted.length, wanted.length]);
    expect(held).toBe(0);
  },
);

it('the adapter alone is a GGUF file too, and no weights are read for it', async () => {
  const [file] = await download('gguf-adapter');
  const wanted = await bytesOf(adapterGguf(made.config, 'mine', 'x', made.adapter));
  expect(file!.name).toBe('my-run-adapter.gguf');
  expect(Buffer.compare(Buffer.from(await file!.blob.arrayBuffer()), wanted)).toBe(0);
});

it.each(['gguf-f16', 'merged'] as const)('%s stops where it is cancelled', async (kind) => {
  const controller = new AbortController();
  let last = 0;
  const making = download(kind, {
    signal: controller.signal,
    onProgress: (done, total) => {
      last = done / total;
      if (last > 0.3) controller.abort(new Error('cancelled'));
    },
  });
  await expect(making).rejects.toThrow('cancelled');
  expect(last).toBeLessThan(1);
  expect(held).toBe(0);
});
