import { describe, expect, it } from 'vitest';
import { faults, type SourceFile } from '../../scripts/checks/check-layout.ts';

const file = (path: string, lines: number): SourceFile => ({ path, lines });

describe('the layout', () => {
  it('has at most 800 lines per file', () => {
    expect(faults([file('src/a/x.ts', 800)])).toEqual([]);
    expect(faults([file('src/a/more.ts', 801)])).toEqual(['src/a/more.ts: 801 lines, over 800']);
  });
});
