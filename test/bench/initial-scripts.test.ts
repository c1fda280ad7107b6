import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { initialKilobytes, initialScripts } from '../../bench/page/initial-scripts.ts';

const dist = mkdtempSync(join(tmpdir(), 'forage-dist-'));
afterAll(() => rmSync(dist, { recursive: true, force: true }));
mkdirSync(join(dist, 'assets'));
const entry = 'export const a = 1;\n'.repeat(200);
const shared = 'export const b = "two";\n'.repeat(300);
writeFileSync(join(dist, 'assets/index-a1.js'), entry);
writeFileSync(join(dist, 'assets/shared-b2.js'), shared);
writeFileSync(join(dist, 'assets/lazy-c3.js'), 'export const c = 3;\n');

describe('initial JavaScript of a build', () => {
  test.each(['/', './', '/below/a/path/'])('made for the base %s', (base) => {
    writeFileSync(
      join(dist, 'index.html'),
      `<script type="module" crossorigin src="${base}assets/index-a1.js"></script>
       <link rel="modulepreload" crossorigin href="${base}assets/shared-b2.js">
       <link rel="stylesheet" crossorigin href="${base}assets/index-d4.css">`,
    );
    expect(initialScripts(dist).map(({ file }) => file)).toEqual(['index-a1.js', 'shared-b2.js']);
    const bytes = gzipSync(entry).length + gzipSync(shared).length;
    expect(initialKilobytes(dist)).toBeCloseTo(bytes / 1000, 12);
  });

  test('of a page that names no script is an error, not 0', () => {
    writeFileSync(join(dist, 'index.html'), '<p>Nothing here.</p>');
    expect(() => initialScripts(dist)).toThrow(/names no script/);
  });
});
