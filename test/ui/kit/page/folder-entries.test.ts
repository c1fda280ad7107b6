import { describe, expect, it } from 'vitest';
import { droppedEntries, filesBelow } from '../../../../src/ui/kit/page/folder-entries.ts';

/** A folder's entries come in parts: Chromium gives a hundred at most, and may give fewer before the end. */
const PARTS = [100, 3, 100, 100];

const fileEntry = (path: string, text = path): FileSystemEntry =>
  ({
    isFile: true,
    isDirectory: false,
    name: path.split('/').at(-1),
    fullPath: path,
    file: (give: (file: File) => void) => give(new File([text], path.split('/').at(-1) ?? '')),
  }) as unknown as FileSystemEntry;

const folderEntry = (path: string, inner: FileSystemEntry[], opened = () => undefined) =>
  ({
    isFile: false,
    isDirectory: true,
    name: path.split('/').at(-1),
    fullPath: path,
    createReader: () => {
      opened();
      let [at, part] = [0, 0];
      return {
        readEntries: (give: (entries: FileSystemEntry[]) => void) => {
          const from = at;
          at += PARTS[part++] ?? 100;
          give(inner.slice(from, at));
        },
      };
    },
  }) as unknown as FileSystemEntry;

const pathsBelow = async (...args: Parameters<typeof filesBelow>): Promise<string[]> => {
  const paths: string[] = [];
  for await (const { path } of filesBelow(...args)) paths.push(path);
  return paths;
};

describe('the files of a dropped folder', () => {
  it('are all there, however many parts the browser gives them in', async () => {
    const many = Array.from({ length: 250 }, (_, i) => fileEntry(`/run/${i}.jsonl`));
    expect(await pathsBelow(folderEntry('/run', many))).toEqual(
      many.map((_, i) => `run/${i}.jsonl`),
    );
  });

  it('come with their paths below it, depth first, and what is in them', async () => {
    const inner = folderEntry('/run/step-1', [fileEntry('/run/step-1/a.jsonl', 'one')]);
    const found: [string, string][] = [];
    for await (const { path, file } of filesBelow(
      folderEntry('/run', [inner, fileEntry('/run/b.jsonl', 'two')]),
    ))
      found.push([path, await file.text()]);
    expect(found).toEqual([
      ['run/step-1/a.jsonl', 'one'],
      ['run/b.jsonl', 'two'],
    ]);
  });

  it('that are not wanted are not opened, nor are folders', async () => {
    let opened = 0;
    const git = folderEntry('/run/.git', [fileEntry('/run/.git/config')], () => void (opened += 1));
    const entry = folderEntry('/run', [git, fileEntry('/run/a.jsonl'), fileEntry('/run/.b')]);
    const visible = ({ name }: FileSystemEntry): boolean => !name.startsWith('.');
    expect(await pathsBelow(entry, visible)).toEqual(['run/a.jsonl']);
    expect(opened).toBe(0);
  });

  it('of a single file are itself, and of an empty folder none', async () => {
    expect(await pathsBelow(fileEntry('/a.jsonl'))).toEqual(['a.jsonl']);
    expect(await pathsBelow(folderEntry('/run', []))).toEqual([]);
  });

  it('that cannot be read end with the browser’s reason, not with half of them', async () => {
    const broken = Object.assign(fileEntry('/run/a.jsonl'), {
      file: (_: unknown, fail: (error: Error) => void) => fail(new Error('it was moved')),
    });
    await expect(pathsBelow(folderEntry('/run', [broken]))).rejects.toThrow('it was moved');
  });
});

it('a drop without files, such as a selected text, has no entries', () => {
  const file = fileEntry('/a.jsonl');
  const items = [{ webkitGetAsEntry: () => null }, { webkitGetAsEntry: () => file }];
  expect(droppedEntries({ items } as unknown as DataTransfer)).toEqual([file]);
});
