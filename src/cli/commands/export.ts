import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve, basename } from 'node:path';
import { TRAINERS, type Trainer } from '../../handover/export/parts/experiment.ts';
import { exportFolder } from '../../handover/export/export-folder.ts';
import type { FolderFile } from '../../handover/export/parts/folder.ts';
import { OMITTABLE_PARTS, type OmittedPart } from '../../handover/export/mapping/mapping.ts';
import { settingsWithout } from '../../handover/export/without.ts';
import { print, say, type Command, endProgress } from '../shared/command.ts';
import { exportIndex, INDEX_OPTIONS } from '../parts/faiss.ts';
import { fillFolder } from '../shared/empty-folder.ts';
import { readSource, readHandoverFile } from '../parts/export-source.ts';
import { UsageError, type OptionLists, type OptionValues } from '../shared/options.ts';
import { sayWarnings, SETTINGS_OPTIONS } from '../shared/train-settings.ts';
import { adapterGguf } from '../../policy/gguf/write/adapter.ts';
import { openFolder, readAdapterFolder } from '../shared/parts.ts';
import { writePieces } from '../shared/pieced-file.ts';
import { adapterSubject } from '../parts/adapter-subject.ts';

/** `lab export --to gguf`: an adapter as a file that llama.cpp applies to a base model. */
async function exportAdapterGguf(values: OptionValues): Promise<void> {
  const subject = adapterSubject('export --to gguf', values);
  const { config, id } = await openFolder(subject.policy);
  const adapter = await readAdapterFolder(config, subject.adapter);
  const out = resolve(String(values.out));
  const file = adapterGguf(config, `${id} adapter`, basename(out), adapter);
  await writePieces(out, file);
  endProgress();
  if (values.json) print(JSON.stringify({ out, bytes: file.bytes }));
  else say(`${out}: ${file.bytes} bytes`);
}

const isWithout = (name: string): name is OmittedPart =>
  (OMITTABLE_PARTS as readonly string[]).includes(name);

function withoutOf(lists: OptionLists): OmittedPart[] {
  return (lists['without'] ?? []).map((name) => {
    if (isWithout(name)) return name;
    throw new UsageError(
      `--without is '${name}'; it must be one of ${OMITTABLE_PARTS.join(', ')}.`,
    );
  });
}

function writeFolder(out: string, files: readonly FolderFile[]): void {
  for (const { path, content, executable } of files) {
    const target = join(out, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
    if (executable) chmodSync(target, 0o755);
  }
}

export const exportCommand: Command = {
  name: 'export',
  summary:
    'writes a folder that runs the same experiment with another trainer, an adapter for llama.cpp, or a corpus for FAISS',
  options: {
    to: {
      type: 'string',
      help: 'the trainer; or gguf, for the adapter as a file that llama.cpp applies to its base model',
      choices: [...TRAINERS, 'gguf'],
    },
    ...INDEX_OPTIONS,
    ...SETTINGS_OPTIONS,
    run: {
      type: 'string',
      value: 'DIR',
      help: 'a training run; the other trainer continues it from its last snapshot. With --to gguf: DIR[@STEP]',
    },
    adapter: { type: 'string', value: 'DIR', help: 'with --to gguf: PEFT folder of the adapter' },
    without: {
      type: 'string',
      value: 'PART',
      help: `leave out a part that the trainer does not support (${OMITTABLE_PARTS.join(' | ')}); may be repeated`,
      multiple: true,
    },
    policy: {
      type: 'string',
      value: 'DIR',
      help: "checkpoint folder or GGUF file (default: the run's, else the built-in one)",
    },
    world: {
      type: 'string',
      value: 'DIR',
      help: 'world folder (default: the built-in one); with --run: the folder of the world that it generated',
    },
    'max-context': {
      type: 'integer',
      value: 'N',
      help: "maximum tokens per context (default: the checkpoint's limit, at most 4096)",
      min: 64,
    },
    out: {
      type: 'string',
      value: 'PATH',
      help: 'empty folder to write; with --to gguf a new file',
      required: true,
    },
    json: { type: 'boolean', help: 'print one JSON object' },
  },
  async run(values, _positionals, lists) {
    if (values.index !== undefined) return exportIndex(values, lists);
    if (values.to === 'gguf') return exportAdapterGguf(values);
    if (values.to === undefined)
      throw new UsageError(
        `export needs --to ${[...TRAINERS, 'gguf'].join(' or --to ')}, or --index faiss.`,
      );
    if (values.adapter !== undefined) throw new UsageError('--adapter is for --to gguf.');
    const without = withoutOf(lists);
    const to = values.to as Trainer;
    const source = await readSource(values, lists);
    const files = await exportFolder(source, to, { without, read: readHandoverFile });
    const out = resolve(String(values.out));
    await fillFolder(out, () => writeFolder(out, files));
    sayWarnings(settingsWithout(source.settings, without), lists['set']);
    if (values.json) print(JSON.stringify({ out, files: files.map(({ path }) => path) }));
    else say(`${out}: ${files.map(({ path }) => path).join(', ')}`);
  },
};
