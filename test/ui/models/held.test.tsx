import { beforeEach, expect, it, vi } from 'vitest';
import { CheckpointsSection } from '../../../src/ui/models/CheckpointsSection.tsx';
import { FitSummary } from '../../../src/ui/models/fit/FitSummary.tsx';
import type { DeviceView } from '../../../src/lab/models/serving/device-limits.ts';
import ModelsPage from '../../../src/ui/models/ModelsPage.tsx';
import {
  holdCheckpointAs,
  holdContextsAs,
  modelsLabUser,
} from '../../../src/ui/models/store/checkpoint-actions.ts';
import { useModels } from '../../../src/ui/models/store/models-store.ts';
import { useSession } from '../../../src/ui/kit/session-store.ts';
import { useSetup } from '../../../src/ui/setup/setup-store.ts';
import { buttonsIn, htmlOf, wordsIn } from '../kit/render.tsx';
import { connectFake, stubPage } from '../lab/fake-lab.ts';
import { checkpoint } from './views.ts';

/** What weights and contexts are held in: chosen, shown, and said of what is loaded. */

// Without effects nobody would be told what the device has.
vi.mock('../../../src/ui/models/fit/device-limits.ts', () => {
  const view: DeviceView = {
    device: 'wasm',
    shaderF16: false,
    maxBinding: Infinity,
    maxBuffer: Infinity,
    memory: 4e9,
    basis: 'as this test says',
    engines: 2,
    gpu: null,
  };
  return { useDeviceLimits: () => view };
});

beforeEach(() => {
  stubPage();
  useSession.setState(useSession.getInitialState(), true);
  useModels.setState({ ...useModels.getInitialState(), status: 'ready' }, true);
});

const CONFIG = {
  architectures: ['Qwen2ForCausalLM'],
  model_type: 'qwen2',
  vocab_size: 512,
  hidden_size: 64,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  intermediate_size: 128,
  max_position_embeddings: 256,
  torch_dtype: 'float32',
};

it('what is loaded says what its weights and its contexts are held in', () => {
  const loaded = (onDevice: 'f32' | 'int4', keys: 'f32' | 'f16') => {
    useSession.setState({
      device: { device: 'wasm', adapter: '1 engine', fallback: false },
      policy: {
        id: 'tiny',
        revision: onDevice === 'int4' ? 'abc+int4' : 'abc',
        parameters: 7,
        maxContext: 256,
        device: 'wasm',
        dtype: 'f32',
        onDevice,
        keys,
        notes: ['lm_head.weight differs.'],
      },
    });
    return htmlOf(<ModelsPage />, useSession, useModels, useSetup);
  };
  const plain = loaded('f32', 'f32');
  expect(wordsIn(plain)).toContain('precision stored as f32, computed in f32');
  expect(wordsIn(plain)).toContain('KV cache f32');
  expect(wordsIn(plain)).toContain('⚠ lm_head.weight differs.');
  const compare = 'Measure agreement with the checkpoint';
  // There is nothing to compare where it is the checkpoint itself.
  expect(buttonsIn(plain).map(({ name }) => name)).not.toContain(compare);
  const packed = loaded('int4', 'f16');
  expect(wordsIn(packed)).toContain('checkpoint tiny revision abc+int4');
  expect(wordsIn(packed)).toContain('precision stored as int4, computed in f32');
  expect(wordsIn(packed)).toContain('KV cache f16');
  // Either of them loses something of what is stored.
  for (const html of [packed, loaded('int4', 'f32'), loaded('f32', 'f16')])
    expect(buttonsIn(html).map(({ name }) => name)).toContain(compare);
});

it('what is chosen for a checkpoint is shown, stored, and loaded again', async () => {
  const done = () => Promise.resolve({ status: 'ready', value: null } as const);
  const fake = connectFake(
    {
      checkpoints: {
        listen: () => Promise.resolve(),
        list: () => Promise.resolve([]),
        holdAs: done,
        holdContextsAs: done,
      },
      ask: { changed: () => Promise.resolve() },
    },
    [modelsLabUser],
  );
  await holdCheckpointAs('a', 'int4');
  await holdContextsAs('a', 'f16');
  await holdCheckpointAs('a', null);
  expect(fake.callsOf('checkpoints.holdAs')).toEqual([
    ['a', 'int4'],
    ['a', null],
  ]);
  expect(fake.callsOf('checkpoints.holdContextsAs')).toEqual([['a', 'f16']]);
  expect(fake.callsOf('ask.changed')).toEqual([['a'], ['a'], ['a']]);

  useModels.setState({
    status: 'ready',
    checkpoints: [checkpoint('a', { config: CONFIG, weights: 'int4', keys: 'f16' })],
  });
  const html = htmlOf(<CheckpointsSection />, useModels, useSetup);
  const chosen = (label: string) =>
    new RegExp(`<select[^>]*aria-label="${label}"[^>]*>.*?</select>`, 's')
      .exec(html)?.[0]
      .match(/<option[^>]*selected[^>]*>([^<]*)/)?.[1];
  expect(chosen('Weights of name of a stored as')).toBe('int4');
  expect(chosen('KV cache of name of a stored as')).toBe('f16');
});

it('what a checkpoint needs marks the type that is chosen, and says what its contexts are held in', () => {
  const fit = (rest: Partial<Parameters<typeof FitSummary>[0]>) =>
    htmlOf(<FitSummary config={CONFIG} {...rest} />);
  const marked = (html: string) => /<tr class="chosen"><th[^>]*>([^<]*)/.exec(html)?.[1];
  const automatic = fit({});
  expect(marked(automatic)).toBe('f32');
  expect(wordsIn(automatic)).toContain('KV cache in f32 (automatic)');
  const chosen = fit({ weights: 'int4', keys: 'f16' });
  expect(marked(chosen)).toBe('int4');
  expect(wordsIn(chosen)).toMatch(/KV cache in f16: /);
  // Half of the bytes of each number.
  const bytes = (html: string) =>
    Number(/KV cache in f\d\d[^:]*: ([\d.]+)/.exec(wordsIn(html))?.[1]);
  expect(bytes(fit({ keys: 'f32' })) / bytes(chosen)).toBeCloseTo(2, 1);
});
