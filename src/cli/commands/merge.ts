import { open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { mergedFiles, type PiecedFile } from '../../policy/open/merged-files.ts';
import { fillFolder } from '../shared/empty-folder.ts';
import { UsageError, type OptionValues } from '../shared/options.ts';
import { openFolder, readAdapterFolder } from '../shared/parts.ts';
import { SIDE_FILES } from '../../lab/models/checkpoints/plan/file-names.ts';
import { adapterAt, readRun, readRunAt } from '../train/folder.ts';
import { endProgress, print, say, sayProgress, type Command } from '../shared/command.ts';

/** Files of tokenizers that other programs read and this one does not; kept where the folder has them. */
const FURTHER_FILES = [
  'special_tokens_map.json',
  'added_tokens.json',
  'vocab.json',
  'merges.txt',
  'tokenizer.model',
];

/** The folders of adapter and checkpoint: as given, or those of a run. @throws UsageError */
async function subjectOf(
  values: OptionValues,
): Promise<{ adapter: string; policy: string | undefined }> {
  const text = (name: string): string | undefined => values[name] as string | undefined;
  const [run, adapter, policy] = [text('run'), text('adapter'), text('policy')];
  if (run !== undefined && adapter !== undefined)
    throw new UsageError('--adapter and --run exclude each other; give one of them.');
  if (run !== undefined) {
    const at = readRunAt(run);
    return {
      adapter: adapterAt(at, say).folder,
      policy: policy ?? readRun(at.run).policy.folder,
    };
  }
  if (adapter === undefined) throw new UsageError('merge needs --run DIR or --adapter DIR.');
  return { adapter, policy };
}

async function writeFile(folder: string, { name, bytes, pieces }: PiecedFile): Promise<void> {
  const file = await open(join(folder, name), 'wx');
  try {
    let written = 0;
    for await (const piece of pieces()) {
      await file.writeFile(piece);
      written += piece.length;
      sayProgress(`${name}: ${((100 * written) / Math.max(1, bytes)).toFixed(0)} %`);
    }
  } finally {
    await file.close();
  }
}

export const mergeCommand: Command = {
  name: 'merge',
  summary: 'merges an adapter into its checkpoint and writes a folder that transformers loads',
  options: {
    adapter: { type: 'string', value: 'DIR', help: 'PEFT folder of the adapter' },
    run: {
      type: 'string',
      value: 'DIR[@STEP]',
      help: 'a training run: the adapter of its last step, or of another stored step',
    },
    policy: {
      type: 'string',
      value: 'DIR',
      help: "checkpoint folder (default: the run's, else the built-in one)",
    },
    out: { type: 'string', value: 'DIR', help: 'empty folder to write', required: true },
    json: { type: 'boolean', help: 'print one JSON object' },
  },
  async run(values) {
    const subject = await subjectOf(values);
    const { files, config } = await openFolder(subject.policy);
    const adapter = await readAdapterFolder(config, subject.adapter);
    const merged = await mergedFiles(files, [...SIDE_FILES, ...FURTHER_FILES], adapter, say);
    const out = resolve(String(values.out));
    await fillFolder(out, async () => {
      for (const file of merged) await writeFile(out, file);
    });
    endProgress();
    const written = merged.map(({ name, bytes }) => ({ name, bytes }));
    if (values.json) print(JSON.stringify({ out, files: written }));
    else say(`${out}: ${written.map(({ name }) => name).join(', ')}`);
  },
};
