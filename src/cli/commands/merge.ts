import { basename, join, resolve } from 'node:path';
import { mergedGguf } from '../../policy/gguf/write/model.ts';
import { mergedFiles, type PiecedFile } from '../../policy/open/merged-files.ts';
import type { Adapter } from '../../policy/lora/peft.ts';
import { SIDE_FILES } from '../../lab/models/checkpoints/plan/file-names.ts';
import { ADAPTER_OPTIONS, adapterSubject } from '../parts/adapter-subject.ts';
import type { CheckpointFolder } from '../shared/checkpoint-folder.ts';
import { endProgress, print, say, type Command } from '../shared/command.ts';
import { fillFolder } from '../shared/empty-folder.ts';
import { UsageError, type OptionValues } from '../shared/options.ts';
import { openFolder, readAdapterFolder } from '../shared/parts.ts';
import { writePieces } from '../shared/pieced-file.ts';

/** Files of tokenizers that other programs read and this one does not; kept where the folder has them. */
const FURTHER_FILES = [
  'special_tokens_map.json',
  'added_tokens.json',
  'vocab.json',
  'merges.txt',
  'tokenizer.model',
];

const TYPES = { f16: 'F16', q8_0: 'Q8_0' } as const;

async function writeGguf(
  { files, id }: CheckpointFolder,
  adapter: Adapter,
  out: string,
  type: string,
): Promise<PiecedFile> {
  const stored = TYPES[type as keyof typeof TYPES];
  const file = await mergedGguf(files, id, basename(out), stored, adapter, say);
  await writePieces(out, file);
  return file;
}

async function writeFolder(
  { files }: CheckpointFolder,
  adapter: Adapter,
  out: string,
): Promise<PiecedFile[]> {
  const merged = await mergedFiles(files, [...SIDE_FILES, ...FURTHER_FILES], adapter, say);
  await fillFolder(out, async () => {
    for (const file of merged) await writePieces(join(out, file.name), file);
  });
  return merged;
}

async function write(
  checkpoint: CheckpointFolder,
  adapter: Adapter,
  out: string,
  values: OptionValues,
): Promise<PiecedFile[]> {
  if (values.format === 'gguf')
    return [await writeGguf(checkpoint, adapter, out, String(values.type ?? 'f16'))];
  if (values.type !== undefined) throw new UsageError('--type is for --format gguf.');
  return writeFolder(checkpoint, adapter, out);
}

export const mergeCommand: Command = {
  name: 'merge',
  summary:
    'merges an adapter into its checkpoint: a folder for transformers, or a GGUF file for llama.cpp',
  options: {
    ...ADAPTER_OPTIONS,
    policy: {
      type: 'string',
      value: 'DIR',
      help: "checkpoint folder or GGUF file (default: the run's, else the built-in one)",
    },
    format: {
      type: 'string',
      help: 'a folder in float32 with the files of the checkpoint, or one file for llama.cpp, Ollama and LM Studio',
      choices: ['safetensors', 'gguf'],
      default: 'safetensors',
    },
    type: {
      type: 'string',
      help: 'with --format gguf: what matrices are stored as (default: f16)',
      choices: Object.keys(TYPES),
    },
    out: {
      type: 'string',
      value: 'PATH',
      help: 'empty folder to write, or with --format gguf a new file',
      required: true,
    },
    json: { type: 'boolean', help: 'print one JSON object' },
  },
  async run(values) {
    const subject = adapterSubject('merge', values);
    const checkpoint = await openFolder(subject.policy);
    const adapter = await readAdapterFolder(checkpoint.config, subject.adapter);
    const out = resolve(String(values.out));
    const merged = await write(checkpoint, adapter, out, values);
    endProgress();
    const written = merged.map(({ name, bytes }) => ({ name, bytes }));
    if (values.json) print(JSON.stringify({ out, files: written }));
    else say(`${out}: ${written.map(({ name }) => name).join(', ')}`);
  },
};
