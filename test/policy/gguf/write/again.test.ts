import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openCheckpoint } from '../../../../src/policy/checkpoint/checkpoint.ts';
import { variantOf, type PolicyConfig } from '../../../../src/policy/checkpoint/config.ts';
import { parameterSlots } from '../../../../src/policy/checkpoint/weights.ts';
import { dequantiseBlocks } from '../../../../src/policy/gguf/blocks.ts';
import { openGguf } from '../../../../src/policy/gguf/open.ts';
import { mergedGguf } from '../../../../src/policy/gguf/write/model.ts';
import { quantizeQ8 } from '../../../../src/policy/gguf/write/file.ts';
import { mergeAdapter } from '../../lora/merge-adapter.ts';
import { loadWeights } from '../../../../src/policy/open/load.ts';
import { openReader } from '../../../../src/policy/open/reader.ts';
import { fromFloat16, toFloat16 } from '../../../../src/base/float16.ts';
import { bytesNamed } from '../bytes.ts';
import { bytesOf, randomAdapter, writeBoth } from './made.ts';

/** A file that was written here opens here again. */

const fixture = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(join(import.meta.dirname, `../../../fixtures/gguf/${name}.gguf`)));

for (const name of ['llama3', 'qwen2', 'smollm3'] as const)
  it.each(['F16', 'Q8_0'] as const)(
    `${name}: a GGUF base with an adapter, written as %s, opens with the same tensors and metadata`,
    async (type) => {
      const base = await openGguf([bytesNamed('base.gguf', fixture(name))]);
      const weights = await loadWeights(base.files);
      const adapter = randomAdapter(weights.config);
      const file = await mergedGguf(base.files, 'mine', 'x.gguf', type, adapter);
      const again = await openGguf([bytesNamed('x.gguf', await bytesOf(file))]);

      const wanted = mergeAdapter(weights, adapter.spec, adapter.flat);
      const source = await openCheckpoint(again.files);
      expect(source.config).toEqual(weights.config);
      for (const { name: slot, shape, offset, length } of parameterSlots(source.config)) {
        const values = wanted.flat.slice(offset, offset + length);
        const stored =
          shape.length < 2
            ? values
            : type === 'F16' || shape[1]! % 32 !== 0
              ? fromFloat16(toFloat16(values))
              : dequantiseBlocks('Q8_0', quantizeQ8(values), length);
        expect(await source.read(slot), slot).toEqual(stored);
      }

      const [before, after] = [await base.files.ggufMetadata!(), await again.files.ggufMetadata!()];
      for (const [key, value] of before)
        if (!/^general\.(?:name|file_type|quantization_version|alignment)$/.test(key))
          expect(after.get(key), key).toEqual(value);
      expect(again.metadata.text('general.name')).toBe('mine');
      expect(again.metadata.number('general.file_type')).toBe(type === 'F16' ? 1 : 7);
    },
  );

it.each(['qwen', 'llama3'] as const)(
  'a Hugging Face folder (%s) that was written as GGUF has its config, tokens and chat template',
  async (family) => {
    const folder = mkdtempSync(join(tmpdir(), 'forage-gguf-again-'));
    try {
      const { files, config, adapter } = await writeBoth(folder, family);
      const file = await mergedGguf(files, family, 'x.gguf', 'Q8_0', adapter);
      const again = await openGguf([bytesNamed('x.gguf', await bytesOf(file))]);
      const { config: read } = await openCheckpoint(again.files);
      const without = (whole: PolicyConfig) => ({ ...whole, variant: null });
      expect(without(read)).toEqual(without(config));
      expect(variantOf(read).rope.type).toBe(variantOf(config).rope.type);
      const [before, after] = [await openReader(files), await openReader(again.files)];
      const messages = [{ role: 'user' as const, content: 'Who wrote it in 1987?\n\t"Ünder"' }];
      const text = before.chat!.render(messages);
      expect(after.chat!.render(messages)).toBe(text);
      expect(after.tokenizer.encodeTemplate!(text)).toEqual(before.tokenizer.encodeTemplate!(text));
      expect(after.tokenizer.encodeText(text)).toEqual(before.tokenizer.encodeText(text));
      expect(after.tokenizer.endOfText).toBe(before.tokenizer.endOfText);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
