import { beforeEach, describe, expect, it } from 'vitest';
import type { HereFit } from '../../../src/policy/open/fit-here.ts';
import { BUILT_IN_SETUP } from '../../../src/records/setup.ts';
import type { DeviceView } from '../../../src/lab/models/serving/device-limits.ts';
import { verdictWords, webLlmWords } from '../../../src/ui/models/fit/verdict-words.ts';
import { PublishedSection } from '../../../src/ui/models/PublishedSection.tsx';
import { useModels } from '../../../src/ui/models/store/models-store.ts';
import { useSetup } from '../../../src/ui/setup/setup-store.ts';
import { buttonsIn, htmlOf, wordsIn } from '../kit/render.tsx';
import { checkpoint, planView } from './views.ts';

const GB = 1e9;
const limits: DeviceView = {
  device: 'wasm',
  shaderF16: false,
  maxBinding: Infinity,
  maxBuffer: Infinity,
  memory: 4 * GB,
  basis: 'the limit of WebAssembly',
  engines: 2,
  gpu: null,
};
const need = (type: 'f32' | 'int4', totalBytes: number, slots: number) => ({
  type,
  weightBytes: totalBytes / 2,
  totalBytes,
  slots,
  why:
    slots > 0 ? null : 'its largest array (head) has 2.00 GiB; this device allows 1.00 GiB in one',
});
const fit = (verdict: HereFit['verdict']): HereFit => ({
  parameters: 1,
  held: 'f32',
  slots: 16,
  needs: [need('f32', 6 * GB, 0), need('int4', 3 * GB, 8)],
  verdict,
});
const no = {
  kind: 'no',
  type: 'int4',
  gives: 4 * GB,
  why: 'its largest array',
  elsewhere: false,
} as const;

describe('the verdict on a card', () => {
  it.each<[HereFit['verdict'], string, string]>([
    [{ kind: 'fits', type: 'f32', slots: 16 }, 'fits', 'f32 weights, 16 rollouts in parallel'],
    [
      { kind: 'fits', type: 'f32', slots: 1 },
      'fits',
      'f32 weights, one rollout at a time instead of 16',
    ],
    [
      { kind: 'fits', type: 'int4', slots: 8 },
      'fits as int4',
      'int4 weights, 8 rollouts in parallel instead of 16; f32 needs 6 GB',
    ],
    [
      { ...no, needs: 9.9 * GB },
      'too big: needs 9.9 GB, this device has 4 GB',
      'int4 weights, one rollout at a time; the limit of WebAssembly',
    ],
    [
      { ...no, needs: 9.9 * GB, elsewhere: true },
      'needs WebGPU',
      'int4 weights, one rollout at a time: 9.9 GB; without a GPU this device has 4 GB (the limit of WebAssembly)',
    ],
    // There is memory; one array is larger than what may be bound.
    [{ ...no, needs: 3 * GB }, 'too big', 'int4 weights, one rollout at a time: its largest array'],
  ])('%o', (verdict, badge, more) => {
    expect(verdictWords(fit(verdict), limits)).toMatchObject({ badge, more });
  });

  it('of a model of WebLLM asks for a GPU, for its features, and for the memory that its list states', () => {
    const gpu = { ...limits, device: 'webgpu', shaderF16: true } as const;
    const line = { memoryMB: 2000, features: ['shader-f16'] };
    expect(webLlmWords(line, limits).badge).toBe('needs WebGPU');
    expect(webLlmWords(line, gpu).badge).toBe('fits');
    expect(webLlmWords(line, { ...gpu, shaderF16: false }).badge).toBe('needs shader-f16');
    expect(webLlmWords({ ...line, memoryMB: null }, gpu).badge).toBe('size not known');
    expect(webLlmWords({ ...line, memoryMB: 5000 }, gpu).badge).toBe(
      'too big: needs 5 GB, this device has 4 GB',
    );
  });
});

describe('published checkpoints', () => {
  const QWEN = 'Qwen/Qwen2.5-0.5B-Instruct';
  const set = useModels.setState;
  beforeEach(() => {
    set(useModels.getInitialState(), true);
    useSetup.setState({ setup: BUILT_IN_SETUP });
  });
  const card = (repository = QWEN): string => {
    const html = htmlOf(<PublishedSection />, useModels, useSetup);
    const from = html.indexOf(`data-published="${repository}"`);
    const to = html.indexOf('data-published', from + 1);
    return html.slice(from, to < 0 ? undefined : to);
  };
  const source = {
    kind: 'hub',
    base: 'https://hub.example',
    repository: QWEN,
    revision: 'main',
  } as const;

  it('say their size, and where nobody stated one, that none is known', () => {
    expect(wordsIn(card())).toContain('494.0 M parameters · ≈ 988 MB on disk');
    expect(wordsIn(card('XXsongLALA/Qwen-2.5-7B-base-RAG-RL'))).toContain(
      'size on disk unknown until its files are listed',
    );
  });

  it('offer to be used once they are here, and nothing while they are on their way', () => {
    set({ checkpoints: [checkpoint('a', { source, state: 'downloading' })] });
    expect(buttonsIn(card())).toEqual([]);
    expect(wordsIn(card())).toContain('Downloading; see Models on this device.');
    set({ checkpoints: [checkpoint('a', { source })] });
    expect(buttonsIn(card()).map(({ name }) => name)).toEqual([`Use ${QWEN}`]);
  });

  it('show what a download would bring in the card that asked', () => {
    set({ look: { status: 'ready', view: planView({}, 'Qwen'), files: null }, lookFor: QWEN });
    expect(card()).toContain('Preview of Qwen');
    expect(card('Qwen/Qwen2-0.5B-Instruct')).not.toContain('Preview of Qwen');
  });
});
