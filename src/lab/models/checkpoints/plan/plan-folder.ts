import { isGgufName } from '../../../../formats/gguf.ts';
import { CheckpointFault } from './fault.ts';
import { CONFIG, INDEX, MOST_JSON_BYTES, SINGLE, chooseFiles, shardsOf } from './file-names.ts';
import type {
  CheckpointPlan,
  LocalFile,
  PlannedFile,
} from '../../../contract/records/checkpoints.ts';
import { titleOf } from './source.ts';
import { parseObject } from './web.ts';

/** Files of the folder of `config.json`, the outermost where there are several, by name. */
export function folderFiles(files: readonly LocalFile[]): {
  name: string;
  byName: Map<string, File>;
} {
  const depth = (path: string) => path.split('/').length;
  const configs = files.filter(({ path }) => path.split('/').at(-1) === CONFIG);
  const [config] = configs.sort((a, b) => depth(a.path) - depth(b.path));
  if (!config)
    throw new CheckpointFault(
      'incomplete',
      `There is no ${CONFIG} among the ${files.length} files of this folder.`,
      'Choose a GGUF file, or a folder with config.json, tokenizer.json and safetensors.',
    );
  const folder = config.path.slice(0, -CONFIG.length);
  const byName = new Map<string, File>();
  for (const { path, file } of files)
    if (path.startsWith(folder) && !path.slice(folder.length).includes('/'))
      byName.set(path.slice(folder.length), file);
  return { name: folder.split('/').findLast(Boolean) ?? 'folder', byName };
}

/** git without LFS leaves a short text in the place of each large file. */
async function checkPointer(name: string, file: File): Promise<void> {
  if (file.size > 1024) return;
  const text = await file.text();
  if (text.startsWith('version https://git-lfs'))
    throw new CheckpointFault(
      'incomplete',
      `${name} is a Git LFS pointer, not the file itself.`,
      'Run "git lfs pull" in that folder, then add it again.',
    );
}

async function readJson(name: string, file: File): Promise<Record<string, unknown>> {
  if (file.size > MOST_JSON_BYTES)
    throw new CheckpointFault(
      'bad-answer',
      `${name} is longer than ${MOST_JSON_BYTES / 1e6} MB, which it never is.`,
      'Check that it is the file of a checkpoint.',
    );
  await checkPointer(name, file);
  return parseObject(new Uint8Array(await file.arrayBuffer()), name);
}

const nameOf = ({ path }: LocalFile): string => path.split('/').at(-1) ?? path;

/** Whether the model of these files is in GGUF: there is no config.json beside them. */
export const isOnlyGguf = (files: readonly LocalFile[]): boolean =>
  files.some((file) => isGgufName(nameOf(file))) && files.every((file) => nameOf(file) !== CONFIG);

/**
 * Lists what GGUF files or a folder of this machine would bring.
 * @throws CheckpointFault
 */
export async function planLocal(files: readonly LocalFile[]): Promise<CheckpointPlan> {
  if (isOnlyGguf(files)) {
    const { planLocalGguf } = await import('./plan-gguf.ts');
    return planLocalGguf(files);
  }
  const { name, byName } = folderFiles(files);
  const config = await readJson(CONFIG, byName.get(CONFIG)!);
  const index = byName.has(SINGLE) ? undefined : byName.get(INDEX);
  const shards = index ? shardsOf(await readJson(INDEX, index)) : null;
  const names = chooseFiles(`The folder "${name}"`, [...byName.keys()], shards);
  const planned: PlannedFile[] = [];
  for (const each of names) {
    const file = byName.get(each)!;
    await checkPointer(each, file);
    planned.push({ name: each, bytes: file.size, exact: true, sha256: null, url: null });
  }
  const source = { kind: 'folder', name } as const;
  return { source, revision: null, title: titleOf(source), files: planned, config };
}
