import { describe, expect, it } from 'vitest';
import { faults, twoWayPairs, type SourceFile } from '../../scripts/checks/check-layout.ts';

const file = (path: string, imports: readonly string[] = [], lines = 10): SourceFile => ({
  path,
  imports,
  lines,
});

describe('the layout of folders', () => {
  it('has no two folders that import each other, parent and child as any', () => {
    const there = file('src/agent/loop.ts', ['src/agent/stie/stop.ts']);
    expect(twoWayPairs([there, file('src/agent/stie/stop.ts')])).toEqual([]);
    const back = file('src/agent/stie/stop.ts', ['src/agent/answers.ts']);
    expect(twoWayPairs([there, back])).toEqual([
      'src/agent/loop.ts → src/agent/stie/stop.ts and src/agent/stie/stop.ts → src/agent/answers.ts',
    ]);
  });

  it('takes no import within one folder for an arrow', () => {
    expect(
      twoWayPairs([file('src/a/x.ts', ['src/a/y.ts']), file('src/a/y.ts', ['src/a/x.ts'])]),
    ).toEqual([]);
  });

  it('has at most 15 files a folder and 400 lines a file', () => {
    const files = Array.from({ length: 15 }, (_, i) => file(`src/a/${i}.ts`, [], 400));
    expect(faults(files)).toEqual([]);
    expect(faults([...files, file('src/a/more.ts', [], 401)])).toEqual([
      'src/a/more.ts: 401 lines, over 400',
      'src/a: 16 files, over 15',
    ]);
  });
});
