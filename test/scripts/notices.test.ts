import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { notDependencies, noticesOf, packageOf } from '../../scripts/serve/notices.mjs';

/** A folder with these files; objects are written as JSON. */
function folderOf(files: Record<string, object | string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'notices-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(
      join(folder, name),
      typeof content === 'string' ? content : JSON.stringify(content),
    );
  }
  return folder;
}

test('a module belongs to the innermost package of its path', () => {
  expect(packageOf('/a/node_modules/zod/v4/index.js')).toBe('/a/node_modules/zod');
  expect(packageOf('/a/node_modules/@x/y/z.js?url')).toBe('/a/node_modules/@x/y');
  expect(packageOf('\0/a/node_modules/b/node_modules/c/d.js?commonjs')).toBe(
    '/a/node_modules/b/node_modules/c',
  );
  expect(packageOf('/a/src/main.ts')).toBeNull();
});

test('each package is named with its version, source and licence text', () => {
  const root = folderOf({
    'one/package.json': {
      name: 'one',
      version: '1.0.0',
      license: 'MIT',
      repository: { url: 'git+https://example.org/one.git' },
    },
    'one/LICENSE': 'Text of one\r\n',
    'two/package.json': { name: 'two', version: '2.0.0', license: 'Apache-2.0' },
    'two/license.md': 'Text of two',
    'two/NOTICE': 'Notice of two',
    'three/package.json': { name: 'three', version: '3.0.0', license: 'MIT', author: 'Ada' },
  });
  const text = noticesOf(['two', 'one', 'one', 'three'].map((name) => join(root, name)));
  expect(text).toContain('one 1.0.0 (MIT)\nhttps://example.org/one\n\nText of one\n');
  expect(text).toContain('two 2.0.0 (Apache-2.0)\n\nNotice of two\n\nText of two');
  // Its licence asks for the text, which its package lacks.
  expect(text).toContain('three 3.0.0 (MIT)\n\nCopyright (c) Ada\n\nPermission is hereby granted');
  expect(text.match(/^one /gm)).toHaveLength(1);
});

test('a package without a licence text stops the build, by its name', () => {
  const root = folderOf({ 'p/package.json': { name: 'p', version: '1.0.0', license: 'Odd-1.0' } });
  expect(() => noticesOf([join(root, 'p')])).toThrow(
    /^p has no licence text, and Odd-1\.0 has none/,
  );
});

test('a package of the build that is installed for development only is found', () => {
  const root = folderOf({
    'package-lock.json': {
      packages: { 'node_modules/a': {}, 'node_modules/@b/c': { dev: true } },
    },
  });
  const folders = ['a', '@b/c'].map((name) => join(root, 'node_modules', name));
  expect(notDependencies(folders, root)).toEqual([folders[1]]);
});
