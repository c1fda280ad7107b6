import { expect, it } from 'vitest';
import { memoryFiles } from '../../../src/policy/checkpoint/checkpoint-files.ts';
import { openCheckpoint } from '../../../src/policy/checkpoint/checkpoint.ts';
import { parsePolicyConfig } from '../../../src/policy/checkpoint/config.ts';
import { readSafetensors, writeSafetensors } from '../../../src/policy/checkpoint/safetensors.ts';
import { EMBED, layerName } from '../../../src/policy/checkpoint/weights.ts';
import { mergedFiles } from '../../../src/policy/open/merged-files.ts';
import { bytesOf } from '../gguf/write/made.ts';
import { loadFamily } from '../../fixtures/families/load.ts';

/** A Gemma 3 with images: its text part under names and settings of their own. */

const { files, source, adapter } = await loadFamily('gemma3');
const json = (bytes: Uint8Array | undefined): Record<string, unknown> =>
  JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
const { architectures: _, dtype, ...text } = json(files.get('config.json'));

function withImages(rename: (name: string) => string) {
  const tensors = [...readSafetensors(files.get('model.safetensors')!)];
  const eye = { shape: [2, 2], data: Float32Array.of(1, 2, 3, 4) };
  const named = new Map([
    ...tensors.map(([name, tensor]) => [rename(name), tensor] as const),
    ['vision_tower.patch.weight', eye] as const,
  ]);
  const config = {
    architectures: ['Gemma3ForConditionalGeneration'],
    model_type: 'gemma3',
    dtype,
    text_config: text,
    vision_config: { hidden_size: 2 },
  };
  return memoryFiles(
    new Map([
      ['config.json', new TextEncoder().encode(JSON.stringify(config))],
      ['model.safetensors', writeSafetensors(named, 'F32')],
    ]),
  );
}

it.each([
  ['transformers 4', (name: string) => `language_model.${name}`],
  ['transformers 5', (name: string) => name.replace(/^model\./, 'model.language_model.')],
])('its text part is read as %s writes it', async (_version, rename) => {
  const opened = await openCheckpoint(withImages(rename));
  expect(opened.config).toEqual(source.config);
  for (const name of [EMBED, layerName(2, 'pre_feedforward_layernorm.weight')])
    expect(await opened.read(name)).toEqual(await source.read(name));
  expect(opened.notes).toEqual([expect.stringContaining('vision_tower.patch.weight')]);
});

it('its merged folder is a Gemma 3 of text alone, whose embeddings keep their scale', async () => {
  const folder = withImages((name) => `language_model.${name}`);
  const merged = await mergedFiles(folder, ['config.json'], adapter);
  const config = json(await bytesOf(merged.find(({ name }) => name === 'config.json')!));
  expect(config).toMatchObject({
    architectures: ['Gemma3ForCausalLM'],
    model_type: 'gemma3_text',
    dtype: 'bfloat16',
  });
  expect(parsePolicyConfig(config)).toEqual(source.config);
  const weights = await bytesOf(merged.find(({ name }) => name === 'model.safetensors')!);
  expect([...readSafetensors(weights).keys()]).toContain(EMBED);
});
