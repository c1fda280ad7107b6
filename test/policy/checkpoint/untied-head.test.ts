import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { memoryFiles } from '../../../src/policy/checkpoint/checkpoint-files.ts';
import { openCheckpoint } from '../../../src/policy/checkpoint/checkpoint.ts';
import { readSafetensors, writeSafetensors } from '../../../src/policy/checkpoint/safetensors.ts';
import { weightsOf } from '../../../src/policy/checkpoint/tensor-source.ts';
import { EMBED, HEAD } from '../../../src/policy/checkpoint/weights.ts';
import { initAdapter } from '../../../src/policy/lora/init.ts';
import { LORA_TARGETS } from '../../../src/policy/lora/spec.ts';
import { loadPolicy } from '../../../src/policy/open/load.ts';
import { mergedFiles } from '../../../src/policy/open/merged-files.ts';

const folder = new URL('../../fixtures/qwen3-tiny/', import.meta.url);
const fileOf = (name: string) => new Uint8Array(readFileSync(new URL(name, folder)));
const tensors = readSafetensors(fileOf('model.safetensors'));
const embed = tensors.get(EMBED)!;
const config: unknown = JSON.parse(new TextDecoder().decode(fileOf('config.json')));
expect(config).toMatchObject({ tie_word_embeddings: true, num_hidden_layers: 2 });

type Tensors = Map<string, { shape: readonly number[]; data: Float32Array }>;

/** The checkpoint, whose config ties the head to the embedding, with more tensors. */
function withTensors(...more: [name: string, shape: readonly number[], data: Float32Array][]) {
  const all: Tensors = new Map(tensors);
  for (const [name, shape, data] of more) all.set(name, { shape, data });
  return new Map([
    ['config.json', fileOf('config.json')],
    ['tokenizer.json', fileOf('tokenizer.json')],
    ['model.safetensors', writeSafetensors(all, 'F32')],
  ]);
}

/** A head that differs from the embedding in its last value only. */
const otherHead = (): Float32Array => {
  const data = embed.data.slice();
  data[data.length - 1]! += 0.5;
  return data;
};

describe('a head beside an embedding that config.json ties', () => {
  it('is the embedding where both are equal', async () => {
    const source = await openCheckpoint(memoryFiles(withTensors([HEAD, embed.shape, embed.data])));
    expect(source.config.tieWordEmbeddings).toBe(true);
    expect(source.notes).toEqual([]);
  });

  it('is a matrix by itself where one value differs, as in transformers, and that is said', async () => {
    const files = withTensors([HEAD, embed.shape, otherHead()]);
    const source = await openCheckpoint(memoryFiles(files));
    expect(source.config.tieWordEmbeddings).toBe(false);
    const { head, embed: read } = await weightsOf(source);
    expect(head).toEqual(otherHead());
    expect(read).toEqual(embed.data);
    const said = expect.stringMatching(
      /^config\.json says .*tie_word_embeddings.* lm_head\.weight differs from model\.embed_tokens\.weight/,
    ) as string;
    expect(source.notes).toEqual([said]);
    // By range, and as whole files of a server.
    for (const from of [memoryFiles(files), async (name: string) => files.get(name)!]) {
      const policy = await loadPolicy({ files: from, id: 'tiny', device: 'wasm' });
      expect(policy.info.notes).toEqual([said]);
      policy.dispose();
    }
  });

  it('is compared by value where the two are stored in other types', async () => {
    const both = new Map([
      [EMBED, embed],
      [HEAD, { shape: embed.shape, data: embed.data }],
    ]);
    const rest: Tensors = new Map([...tensors].filter(([name]) => name !== EMBED));
    const index = {
      weight_map: Object.fromEntries([
        ...[...rest.keys()].map((name) => [name, 'rest.safetensors'] as const),
        [EMBED, 'embed.safetensors'],
        [HEAD, 'head.safetensors'],
      ]),
    };
    const one = (name: string, dtype: 'F32' | 'F16') =>
      writeSafetensors(new Map([[name, both.get(name)!]]), dtype);
    const files = new Map([
      ['config.json', fileOf('config.json')],
      ['model.safetensors.index.json', new TextEncoder().encode(JSON.stringify(index))],
      ['rest.safetensors', writeSafetensors(rest, 'F16')],
      ['embed.safetensors', one(EMBED, 'F16')],
      // The values of the fixture are halves: float32 holds the same.
      ['head.safetensors', one(HEAD, 'F32')],
    ]);
    const source = await openCheckpoint(memoryFiles(files));
    expect(source.config.tieWordEmbeddings).toBe(true);
    expect(source.notes).toEqual([]);
  });

  it('is refused in another shape', async () => {
    const files = withTensors([HEAD, [2], new Float32Array(2)]);
    await expect(openCheckpoint(memoryFiles(files))).rejects.toThrow(
      /^model\.safetensors: tensor "lm_head\.weight" has shape \[2\], config\.json asks for/,
    );
  });

  it('stays in a merged checkpoint, whose config unties it', async () => {
    const files = memoryFiles(withTensors([HEAD, embed.shape, otherHead()]));
    const spec = { rank: 2, alpha: 4, targets: LORA_TARGETS };
    const { config: shape } = await openCheckpoint(files);
    const notes: string[] = [];
    const adapter = { spec, flat: initAdapter(shape, spec, 1) };
    const merged = await mergedFiles(files, [], adapter, (note) => notes.push(note));
    expect(notes).toHaveLength(1);
    const written = new Map<string, Uint8Array>();
    for (const { name, pieces } of merged) {
      const parts: Uint8Array[] = [];
      for await (const piece of pieces()) parts.push(piece);
      written.set(name, Buffer.concat(parts));
    }
    const json: unknown = JSON.parse(new TextDecoder().decode(written.get('config.json')));
    expect(json).toEqual({
      ...(config as object),
      dtype: 'float32',
      tie_word_embeddings: false,
    });
    const again = await openCheckpoint(memoryFiles(written));
    expect(again.notes).toEqual([]);
    // The fresh adapter changes nothing.
    expect((await weightsOf(again)).head).toEqual(otherHead());
  });
});

describe('tensors that config.json does not ask for', () => {
  it('of a further layer are refused by name', async () => {
    const name = 'model.layers.2.input_layernorm.weight';
    const files = withTensors([name, [4], new Float32Array(4)]);
    await expect(openCheckpoint(memoryFiles(files))).rejects.toThrow(
      `model.safetensors: tensor "${name}" is of layer 2, but config.json says num_hidden_layers = 2 (layers 0 to 1)`,
    );
  });

  it('are named where they are not used', async () => {
    const bias = 'model.layers.0.self_attn.o_proj.bias';
    const source = await openCheckpoint(
      memoryFiles(
        withTensors(
          [bias, [1], new Float32Array(1)],
          ['score\n.weight', [1], new Float32Array(1)],
          // Follows from the config; early Llama checkpoints hold it.
          ['model.layers.0.self_attn.rotary_emb.inv_freq', [1], new Float32Array(1)],
        ),
      ),
    );
    expect(source.notes).toEqual([
      `The weights hold 2 tensors that config.json does not ask for; they are not used: ${bias}, score .weight.`,
    ]);
  });
});
