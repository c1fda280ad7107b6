import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffRollouts } from '../../src/evaluate/rollouts/diff.ts';
import {
  formatReaderAddress,
  parseReaderAddress,
} from '../../src/ui/rollouts/reader/store/address.ts';
import { partsOf } from '../../src/ui/rollouts/reader/views/DiffView.tsx';
import { neighboursIn, readOrder } from '../../src/ui/rollouts/reader/store/order.ts';
import {
  findText,
  layoutRows,
  rowAt,
  rowStop,
  type RawRows,
} from '../../src/ui/rollouts/reader/views/raw-rows.ts';
import { cellOf, shareOfNats } from '../../src/ui/rollouts/reader/tokens/token-paint.ts';

const run = <T>(work: Generator<void, T, void>): T => {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
};

describe('the address', () => {
  it('comes back as it was, whatever the ids are', () => {
    const id = fc.string({ minLength: 1, unit: 'grapheme' });
    const address = fc.record({
      fileId: id,
      rolloutId: id,
      view: fc.constantFrom('rounds' as const, 'tokens' as const, 'what-if' as const),
      event: fc.option(fc.nat(1000)),
      round: fc.constant(null),
      tokens: fc.option(fc.constant({ from: 3, to: 40 })),
      other: fc.option(fc.record({ fileId: id, rolloutId: id })),
      rest: fc.constant('filter=em+%3D+0'),
    });
    fc.assert(
      fc.property(address, (one) => {
        const [path, search = ''] = formatReaderAddress(one).split('?');
        expect(parseReaderAddress(path!, search)).toEqual(one);
      }),
    );
  });

  it('leaves what it cannot mean at its default', () => {
    const read = parseReaderAddress(
      '/rollouts/a/%E0%A4%A',
      '?view=evil&event=0&tokens=9-2&round=x',
    );
    expect(read).toMatchObject({
      rolloutId: '%E0%A4%A',
      view: 'rounds',
      event: null,
      round: null,
      tokens: { from: 2, to: 9 },
    });
  });
});

describe('the order', () => {
  const reading = (id: string) =>
    ({
      row: { row: { id } },
      position: 1,
      previous: 'a',
      next: 'c',
      file: { rollouts: 3 },
    }) as unknown as Parameters<typeof neighboursIn>[1];

  it('is the table’s where it holds the rollout, else the file’s', () => {
    const order = readOrder(JSON.stringify({ fileId: 'f', ids: ['z', 'b', 'y', 3] }), 'f');
    expect(neighboursIn(order, reading('b'))).toEqual({
      previous: 'z',
      next: 'y',
      position: 1,
      count: 3,
      selected: true,
    });
    expect(neighboursIn(order, reading('q'))).toMatchObject({ next: 'c', selected: false });
    expect(readOrder(JSON.stringify({ fileId: 'g', ids: [] }), 'f')).toBeNull();
    expect(readOrder('{', 'f')).toBeNull();
  });
});

describe('rows of a text', () => {
  const textOf = (rows: RawRows, texts: readonly string[], row: number) => {
    const text = texts[rows.segment[row]!]!;
    return text.slice(rows.start[row], rowStop(rows, row, text));
  };

  it('are its lines, long ones cut at the width, every character in one of them', () => {
    const texts = ['one\n\nthree is long', 'next'];
    const rows = run(layoutRows(texts, 6));
    expect(Array.from({ length: rows.count }, (_, i) => textOf(rows, texts, i))).toEqual([
      'one',
      '',
      'three ',
      'is lon',
      'g',
      'next',
    ]);
    expect(rowAt(rows, 0, 12)).toBe(3);
    expect(rowAt(rows, 1, 2)).toBe(5);
  });

  it('lose nothing of any text', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\n', '字', '🐚', '\t', ' ') });
    fc.assert(
      fc.property(
        fc.array(text, { maxLength: 4 }),
        fc.integer({ min: 2, max: 9 }),
        (texts, width) => {
          const rows = run(layoutRows(texts, width));
          const joined = texts.map(() => '');
          for (let i = 0; i < rows.count; i++) joined[rows.segment[i]!] += textOf(rows, texts, i);
          expect(joined).toEqual(texts.map((one) => one.replaceAll('\n', '')));
        },
      ),
    );
  });

  it('of 20 MB are made in slices', () => {
    const text = `${'lorem ipsum '.repeat(90)}\n`.repeat(18_500);
    let slices = 0;
    let longest = 0;
    const work = layoutRows([text], 120);
    for (;;) {
      const before = process.cpuUsage();
      const step = work.next();
      const { user } = process.cpuUsage(before);
      longest = Math.max(longest, user / 1000);
      slices += 1;
      if (step.done) break;
    }
    expect(slices).toBeGreaterThan(50);
    expect(longest).toBeLessThan(100);
  });

  it('are searched across the borders of slices, whatever the case', () => {
    const text = `${'x'.repeat(199_998)}NeeDle and needle`;
    expect(run(findText(['needle', text], 'needle'))).toEqual([
      { segment: 0, start: 0, end: 6 },
      { segment: 1, start: 199_998, end: 200_004 },
      { segment: 1, start: 200_009, end: 200_015 },
    ]);
    expect(run(findText(['a.b axb'], '.'))).toHaveLength(1);
    for (const sign of '.*+?^${}()|[]\\/-&~#')
      expect(run(findText([`a${sign}`], sign))).toHaveLength(1);
  });
});

describe('a diff as it is read', () => {
  it('folds what is the same, and joined gives both texts', () => {
    const side = (text: string) => ({
      segments: [{ source: 'policy' as const, role: 'think' as const, text }],
    });
    const same = Array.from({ length: 200 }, (_, i) => `w${i}`).join(' ');
    const [left, right] = [side(`a ${same} b`), side(`a ${same} c`)];
    const { a, b, runs } = diffRollouts(left, right);
    const parts = partsOf(runs, a, b);
    expect(parts.map(({ kind }) => kind)).toEqual(
      ['same', 'same', 'same', 'removed', 'added'].slice(1),
    );
    expect(parts.find(({ folded }) => folded > 0)?.folded).toBe(201 - 24);
    expect(parts.slice(-2).map(({ text }) => text)).toEqual([' b', ' c']);
  });
});

describe('a cell', () => {
  it('is taller the larger its number, hangs below the middle, and is idle without one', () => {
    const scale = { low: -2, high: 4, middle: 0 };
    expect(cellOf(4, scale)).toMatchObject({ colour: 'gain', height: 1, hangs: false });
    expect(cellOf(-2, scale)).toMatchObject({ colour: 'loss', hangs: true });
    expect(cellOf(-2, scale).height).toBeLessThan(1);
    expect(cellOf(0, scale)).toMatchObject({ colour: 'idle' });
    expect(cellOf(NaN, scale)).toMatchObject({ colour: 'idle' });
    expect(cellOf(-1, { low: -3, high: 0, middle: null })).toMatchObject({ colour: 'policy' });
  });

  it('shows nats on a scale that is the same for every rollout', () => {
    // log(1 + x / 0.1) / log(101), by hand.
    expect([0, 0.1, 1, -3, 10, 40].map((nats) => Number(shareOfNats(nats).toFixed(3)))).toEqual([
      0, 0.15, 0.52, 0.744, 1, 1,
    ]);
  });
});
