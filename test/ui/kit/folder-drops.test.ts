import { describe, expect, test } from 'vitest';
import { droppedFiles } from '../../../src/ui/corpus/import/dropped-files.ts';
import { filesOfDrop } from '../../../src/ui/models/parts/folder-files.ts';

/** What browsers give of a drop: a folder's entries in parts, and an empty part at the end. */
const fileEntry = (path: string) => ({
  isFile: true,
  isDirectory: false,
  name: path.split('/').at(-1)!,
  fullPath: path,
  file: (give: (file: File) => void) => give(new File(['x'], path.split('/').at(-1)!)),
});
const folderEntry = (path: string, ...inner: unknown[]) => ({
  isFile: false,
  isDirectory: true,
  name: path.split('/').at(-1)!,
  fullPath: path,
  createReader: () => {
    const parts = inner.map((entry) => [entry]);
    return { readEntries: (give: (entries: unknown[]) => void) => give(parts.shift() ?? []) };
  },
});
const dropOf = (...entries: { isFile: boolean; name: string }[]): DataTransfer =>
  ({
    items: entries.map((entry) => ({ webkitGetAsEntry: () => entry })),
    files: entries.filter(({ isFile }) => isFile).map(({ name }) => new File(['x'], name)),
  }) as unknown as DataTransfer;

const model = folderEntry(
  '/model',
  fileEntry('/model/config.json'),
  folderEntry('/model/onnx', fileEntry('/model/onnx/model.onnx')),
);

describe('a folder of a checkpoint', () => {
  test('gives all its files with their paths', async () => {
    const files = await filesOfDrop(dropOf(model));
    expect(files.map(({ path }) => path)).toEqual(['model/config.json', 'model/onnx/model.onnx']);
    expect(files[1]!.file.name).toBe('model.onnx');
  });
});

describe('a drop on the corpus', () => {
  test('takes the known files of a folder, sorted, and counts the others but for hidden ones', async () => {
    const folder = folderEntry(
      '/docs',
      fileEntry('/docs/b.md'),
      fileEntry('/docs/picture.png'),
      fileEntry('/docs/.hidden.md'),
      folderEntry('/docs/.git', fileEntry('/docs/.git/notes.md')),
      folderEntry('/docs/a', fileEntry('/docs/a/z.jsonl')),
    );
    const { files, ...rest } = await droppedFiles(dropOf(folder));
    expect(files.map(({ name }) => name)).toEqual(['docs/a/z.jsonl', 'docs/b.md']);
    expect(rest).toEqual({ leftOut: 1, folder: 'docs' });
  });

  test('takes every file that was dropped itself, whatever its kind', async () => {
    const odd = fileEntry('/list.dat');
    expect((await droppedFiles(dropOf(odd))).files.map(({ name }) => name)).toEqual(['list.dat']);
    const { files, folder } = await droppedFiles(
      dropOf(odd, folderEntry('/docs', fileEntry('/docs/b.md'))),
    );
    expect(files.map(({ name }) => name)).toEqual(['docs/b.md', 'list.dat']);
    expect(folder).toBeUndefined();
  });
});
