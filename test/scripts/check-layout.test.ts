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

  it('has at most 800 lines per file', () => {
    expect(faults([file('src/a/x.ts', [], 800)])).toEqual([]);
    expect(faults([file('src/a/more.ts', [], 801)])).toEqual([
      'src/a/more.ts: 801 lines, over 800',
    ]);
  });
});
