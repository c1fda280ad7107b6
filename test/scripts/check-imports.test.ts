import { describe, expect, test } from 'vitest';
import { violation } from '../../scripts/checks/check-imports.ts';
import { specifiers } from '../../scripts/checks/source-files.ts';

describe('imports go one way', () => {
  const src = '/project/src';
  const check = (file: string, specifier: string) => violation(`${src}/${file}`, specifier, src);

  test('the arrows of the house are allowed', () => {
    expect(check('agent/run.ts', '../policy/policy.ts')).toBeUndefined();
    expect(check('ui/app.tsx', '../lab/ask/host.ts')).toBeUndefined();
    expect(check('ui/app.tsx', 'react')).toBeUndefined();
    expect(check('world/trajectories/trajectory.ts', '../../records/protocol.ts')).toBeUndefined();
    expect(check('cli/main.ts', 'node:fs')).toBeUndefined();
  });

  test('every other way is named', () => {
    expect(check('policy/load.ts', '../agent/run.ts')).toBe('policy may not import agent/run.ts');
    expect(check('agent/run.ts', '../ui/app.tsx')).toBe('agent may not import ui/app.tsx');
    expect(check('world/world.ts', '../agent/run.ts')).toBe('world may not import agent/run.ts');
    expect(check('agent/run.ts', 'react')).toBe('only ui may import react');
    expect(check('agent/run.ts', 'node:fs')).toBe('only cli may import node:fs');
    expect(check('agent/run.ts', '../../workers/lab.ts')).toBe('../../workers/lab.ts leaves src/');
  });

  test('what all pages are made of imports none of them', () => {
    expect(check('ui/kit/Bar.tsx', './words/Term.tsx')).toBeUndefined();
    expect(check('ui/kit/Bar.tsx', '../lab/connection.ts')).toBeUndefined();
    expect(check('ui/ask/AskPage.tsx', '../train/store.ts')).toBeUndefined();
    expect(check('ui/kit/Bar.tsx', '../ask/store.ts')).toBe(
      'the kit may not import a page: ui/ask/store.ts',
    );
  });

  test('static, dynamic, type and side-effect imports and re-exports are all seen', () => {
    const text = [
      "import a from './a.ts';",
      "import type { B } from './b.ts';",
      "import {\n  c,\n  d,\n} from './c.ts';",
      "import './d.ts';",
      "const e = await import('./e.ts');",
      "export * from './f.ts';",
      "export type { G } from './g.ts';",
    ].join('\n');
    expect(specifiers(text).sort()).toEqual(
      ['./a.ts', './b.ts', './c.ts', './d.ts', './e.ts', './f.ts', './g.ts'].sort(),
    );
  });
});
