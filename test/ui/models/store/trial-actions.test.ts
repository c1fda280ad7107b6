import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { DeviceMeasure, Figure } from '../../../../src/policy/measure/device.ts';
import type { PolicyInfo } from '../../../../src/policy/policy.ts';
import { useSession } from '../../../../src/ui/kit/session-store.ts';
import {
  exportMeasure,
  startAgreement,
  startMeasure,
  stopTrial,
} from '../../../../src/ui/models/store/trial-actions.ts';
import { connectFake, deferred, settle, stubPage } from '../../lab/fake-lab.ts';
import { useModels } from '../../../../src/ui/models/store/models-store.ts';

const POLICY: PolicyInfo = {
  id: 'baize-mini',
  revision: '2164d4fccae3',
  parameters: 900_000,
  maxContext: 2048,
  device: 'wasm',
  dtype: 'f16',
  keys: 'f16',
};
const AGREEMENT = { tokens: 512, kl: 0.001, top1: 0.99 };
const COPY: Figure = { kind: 'copy', bytesPerSecond: 1e10 };
const PRODUCT: Figure = { kind: 'product', flopsPerSecond: 1e11 };
const MEASURE: DeviceMeasure = { device: 'wasm', features: ['simd'], figures: [COPY, PRODUCT] };

const trials = () => {
  const { agreement, measure } = useModels.getState();
  return { agreement, measure };
};
/** Of what runs, its progress. */
const progressOf = (which: 'agreement' | 'measure') => {
  const trial = trials()[which];
  return trial.status === 'running' ? trial.progress : trial.status;
};

/** Files that the page hands to the browser. */
const saved = (): { name: string; text: () => Promise<string> }[] => {
  const blobs: Blob[] = [];
  const files: { name: string; text: () => Promise<string> }[] = [];
  const link = {
    href: '',
    download: '',
    click: () => {
      const blob = blobs.at(-1);
      if (blob) files.push({ name: link.download, text: () => blob.text() });
    },
  };
  vi.stubGlobal('document', { createElement: () => link });
  vi.stubGlobal('URL', {
    createObjectURL: (blob: Blob) => `blob:${blobs.push(blob)}`,
    revokeObjectURL: () => undefined,
  });
  return files;
};

beforeEach(() => {
  vi.unstubAllGlobals();
  stubPage();
  useModels.setState(useModels.getInitialState(), true);
  useSession.setState({ ...useSession.getInitialState(), policy: POLICY });
});

describe('the agreement with the checkpoint', () => {
  it('reports progress by layer, then the result with its policy', async () => {
    const end = deferred<typeof AGREEMENT>();
    connectFake({
      ask: {
        agreement: (onLayer) => {
          onLayer(3, 12);
          return end.promise;
        },
      },
    });
    const running = startAgreement();
    expect(progressOf('agreement')).toEqual({ done: 3, layers: 12 });
    // Another policy may be loaded by the time that it ends.
    useSession.setState({ policy: { ...POLICY, id: 'another' } });
    end.resolve(AGREEMENT);
    await running;
    expect(trials().agreement).toEqual({ status: 'done', result: AGREEMENT, policy: POLICY });
  });

  it('that failed says why, and leaves what was measured of the device', async () => {
    const measure = { status: 'done', result: MEASURE, policy: POLICY } as const;
    useModels.setState({ measure });
    connectFake({ ask: { agreement: () => Promise.reject(new Error('no memory for layer 3')) } });
    await startAgreement();
    expect(trials()).toEqual({
      agreement: { status: 'failed', message: 'no memory for layer 3' },
      measure,
    });
  });

  it('that is stopped leaves nothing behind, whatever arrives late', async () => {
    let tell: (done: number, layers: number) => void = () => undefined;
    const fake = connectFake({
      ask: {
        agreement: (onLayer, signal) => {
          tell = onLayer;
          return new Promise((_, reject) =>
            signal.addEventListener('abort', () => reject(new Error('aborted'))),
          );
        },
      },
    });
    const running = startAgreement();
    stopTrial('measure');
    expect(progressOf('agreement')).toEqual({ done: 0, layers: 0 });
    stopTrial('agreement');
    tell(4, 12);
    expect(progressOf('agreement')).toEqual({ done: 0, layers: 0 });
    await running;
    expect(trials().agreement).toEqual({ status: 'none' });
    expect(fake.callsOf('ask.agreement')).toHaveLength(1);
  });

  it('requests nothing without a policy', async () => {
    useSession.setState({ policy: null });
    const fake = connectFake();
    await startAgreement();
    await startMeasure();
    expect(trials().agreement).toMatchObject({ status: 'failed' });
    expect(trials().measure).toMatchObject({ message: 'No model is loaded yet.' });
    expect([...fake.callsOf('ask.agreement'), ...fake.callsOf('ask.measure')]).toEqual([]);
  });
});

describe('a measured device', () => {
  it('shows each figure as it comes, and all of them at the end', async () => {
    const seen: unknown[] = [];
    connectFake({
      ask: {
        measure: async (onFigure, onShare) => {
          for (const figure of MEASURE.figures) {
            onFigure(figure);
            onShare((seen.length + 1) / 2);
            seen.push(progressOf('measure'));
            await settle();
          }
          return MEASURE;
        },
      },
    });
    const running = startMeasure();
    await running;
    expect(seen).toEqual([
      { figures: [COPY], share: 0.5 },
      { figures: [COPY, PRODUCT], share: 1 },
    ]);
    expect(trials().measure).toEqual({ status: 'done', result: MEASURE, policy: POLICY });
  });

  it('restarts without the numbers of the last time', async () => {
    connectFake({ ask: { measure: () => Promise.resolve(MEASURE) } });
    await startMeasure();
    const end = deferred<DeviceMeasure>();
    connectFake({ ask: { measure: () => end.promise } });
    const again = startMeasure();
    expect(progressOf('measure')).toEqual({ figures: [], share: 0 });
    end.resolve(MEASURE);
    await again;
  });

  it('is downloaded with its policy and day, once it was measured', async () => {
    const files = saved();
    exportMeasure();
    expect(files).toEqual([]);
    useModels.setState({ measure: { status: 'done', result: MEASURE, policy: POLICY } });
    exportMeasure(new Date('2026-03-04T17:05:00Z'));
    expect(files.map(({ name }) => name)).toEqual(['forage-device-2026-03-04.json']);
    expect(JSON.parse((await files[0]?.text()) ?? '')).toMatchObject({
      format: 'forage.device/1',
      measuredAt: '2026-03-04T17:05:00.000Z',
      policy: { id: 'baize-mini', revision: '2164d4fccae3', keys: 'f16' },
      ...MEASURE,
    });
  });
});
