import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeServiceWorker } from '../../scripts/serve/offline.mjs';

it('stores what every visit needs for offline use, and no trained adapter', async () => {
  const root = mkdtempSync(join(tmpdir(), 'forage-offline-'));
  try {
    for (const folder of ['assets', 'policy']) mkdirSync(join(root, folder));
    for (const name of [
      'index.html',
      'assets/start-1.js',
      'assets/start-1.js.br',
      'assets/adapter_model-1.safetensors',
      'policy/model.safetensors',
    ])
      writeFileSync(join(root, name), name);
    await writeServiceWorker(root);
    const list = /^const FILES = (.*);$/m.exec(readFileSync(join(root, 'sw.js'), 'utf8'))?.[1];
    expect(JSON.parse(list ?? '')).toEqual(['assets/start-1.js', './', 'policy/model.safetensors']);
  } finally {
    rmSync(root, { recursive: true });
  }
});
