import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { lacksOf } from '../../scripts/checks/check-lock.mjs';

const read = (name: string): Parameters<typeof lacksOf>[0] & Parameters<typeof lacksOf>[1] =>
  JSON.parse(readFileSync(name, 'utf8')) as never;

const integrity = 'sha512-x';
const whole = (): Parameters<typeof lacksOf>[0] => ({
  packages: {
    '': { dependencies: { tool: '^1.0.0' } },
    'node_modules/tool': {
      integrity,
      optionalDependencies: { '@tool/linux': '1.0.0', '@tool/darwin': '1.0.0' },
    },
    'node_modules/@tool/linux': { integrity, dependencies: { part: '1' } },
    'node_modules/@tool/linux/node_modules/part': { integrity },
    'node_modules/@tool/darwin': { integrity },
  },
});
const manifest = { dependencies: { tool: '^1.0.0' } };

describe('the lock file', () => {
  it('holds every package of every system that a locked package names', () => {
    expect(lacksOf(read('package-lock.json'), read('package.json'))).toEqual([]);
  });

  it('is found wanting where one is left out, unsigned, or another version is asked for', () => {
    expect(lacksOf(whole(), manifest)).toEqual([]);

    const other = whole();
    delete other.packages['node_modules/@tool/darwin'];
    expect(lacksOf(other, manifest)).toEqual(['@tool/darwin@1.0.0, which tool wants']);

    // A package in the folder of one is out of the others' reach.
    const far = whole();
    far.packages['node_modules/@tool/darwin'] = { integrity, dependencies: { part: '1' } };
    expect(lacksOf(far, manifest)).toEqual(['part@1, which @tool/darwin wants']);

    const unsigned = whole();
    unsigned.packages['node_modules/tool']!.integrity = '';
    expect(lacksOf(unsigned, manifest)).toEqual(['the integrity of tool']);
    expect(lacksOf(whole(), { dependencies: { tool: '^2.0.0' } })).toEqual([
      'package.json wants tool@^2.0.0; the lock file does not',
    ]);
  });
});
