import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { distributionWords } from '../../../../src/ui/kit/words/distribution-words.ts';
import { formatDuration } from '../../../../src/ui/kit/words/duration.ts';
import {
  formatBytes,
  formatCount,
  formatDayTime,
  formatMs,
  formatNumber,
  formatParameters,
  formatShare,
  formatSigned,
  plural,
} from '../../../../src/ui/kit/words/format.ts';
import { createAttempt, problemOf } from '../../../../src/ui/kit/attempt.ts';
import { createFrameQueue } from '../../../../src/ui/kit/page/frame-queue.ts';
import { fileStem } from '../../../../src/ui/kit/page/save-file.ts';
import { pickOf } from '../../../../src/ui/kit/pick-of.ts';
import { takeTurn } from '../../../../src/ui/kit/turns.ts';
import { stubPage } from '../../lab/fake-lab.ts';
import { useSession } from '../../../../src/ui/kit/session-store.ts';

/** What a number reads as, back again. */
const read = (text: string): number =>
  Number(text.replaceAll('−', '-').replaceAll(',', '').replaceAll('+', ''));

describe('a number', () => {
  it('is never further from its own than three digits tell', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e12, max: 1e12, noNaN: true }), (value) => {
        const back = read(formatNumber(value));
        expect(Math.abs(back - value)).toBeLessThanOrEqual(
          Math.abs(value) * 0.00501 + Number.MIN_VALUE,
        );
        // A sign is that of typography, and there is one only below zero.
        expect(formatNumber(value)).not.toContain('-');
      }),
    );
  });

  it('with its sign never loses it', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e6, max: 1e6, noNaN: true }), (value) => {
        const text = formatSigned(value, 3);
        expect(text.startsWith(value < 0 ? '−' : '+')).toBe(true);
        if (value !== 0) expect(read(text)).not.toBe(0);
      }),
    );
  });

  it.each([
    [undefined, '–'],
    [Infinity, '–'],
    [999.4, '999'],
    [1000, '1,000'],
    [0.0009999, '1e−3'],
    [1e-12, '1e−12'],
    [1234567, '1,234,567'],
  ])('%f reads %s', (value, words) => {
    expect(formatNumber(value)).toBe(words);
  });

  it('does not depend on where one lives', () => {
    vi.stubEnv('LANG', 'de_DE.UTF-8');
    expect([formatCount(1234567), formatShare(0.1234), formatBytes(1_234_567)]).toEqual([
      '1,234,567',
      '12.3 %',
      '1.23 MB',
    ]);
    vi.unstubAllEnvs();
  });
});

describe('a number with a unit', () => {
  it.each([
    [0, '0.0 ms'],
    [9.94, '9.9 ms'],
    [10, '10 ms'],
    [999.4, '999 ms'],
    [999.6, '1.00 s'],
    [12_345, '12.3 s'],
  ])('%f ms reads %s', (ms, words) => {
    expect(formatMs(ms)).toBe(words);
  });

  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1 kB'],
    [1500, '1.5 kB'],
    [999_999, '1,000 kB'],
    [2.5e9, '2.5 GB'],
  ])('%i bytes are %s', (bytes, words) => {
    expect(formatBytes(bytes)).toBe(words);
  });

  it.each([
    [99_999, '99,999'],
    [100_000, '0.10 M'],
    [912_384, '0.91 M'],
    [10_500_000, '10.5 M'],
    [494_032_768, '494.0 M'],
    [1_543_714_304, '1.54 B'],
  ])('%i parameters are %s', (count, words) => {
    expect(formatParameters(count)).toBe(words);
  });

  it.each([
    [0, '0 s'],
    [9.96, '10 s'],
    [119.4, '119 s'],
    [119.6, '2 min'],
    [3540, '59 min'],
    [3599, '1 h'],
    [5400, '1 h 30 min'],
    [172_799, '2 days'],
    [-1, '–'],
    [NaN, '–'],
    [Infinity, '–'],
  ])('%f seconds are %s', (seconds, words) => {
    expect(formatDuration(seconds)).toBe(words);
  });

  it.each([
    [0, '0 files'],
    [1, '1 file'],
    [2, '2 files'],
    [1200, '1,200 files'],
  ])('%i of them are %s', (count, words) => {
    expect(plural(count, 'file')).toBe(words);
  });

  it('has a plural of its own where it needs one, and a day its time', () => {
    expect(plural(3, 'query', 'queries')).toBe('3 queries');
    expect(plural(1, 'query', 'queries')).toBe('1 query');
    expect(formatDayTime('2026-03-04T17:05:00')).toBe('Mar 4, 17:05');
    expect(formatDayTime('2026-03-04T00:05:00')).toBe('Mar 4, 00:05');
  });
});

it.each([
  [{}, 'temperature 1'],
  [{ logprobsOf: null }, 'not reported by the server'],
  [{ logprobsOf: { temperature: 0.7, topK: 5, topP: 0.9 } }, 'temperature 0.7, top-k 5, top-p 0.9'],
  [{ logprobsOf: { temperature: 0.7, topK: 0, topP: 1 } }, 'temperature 0.7'],
])('log-probabilities of %o are of %s', (policy, words) => {
  expect(distributionWords(policy)).toBe(words);
});

describe('an action', () => {
  it('that fails tells what it was and why, and never rejects', async () => {
    const told: string[] = [];
    const attempt = createAttempt(({ text }) => told.push(text));
    expect(await attempt('It was not done', () => Promise.reject(new Error('disk')))).toBeNull();
    expect(await attempt('It was not done', () => Promise.reject('a word'))).toBeNull();
    expect(await attempt('It was done', () => Promise.resolve(0))).toBe(0);
    expect(told).toEqual(['It was not done: disk', 'It was not done: a word']);
    expect(problemOf('x', 'y')).toEqual({ text: 'x: y', detail: 'y' });
    expect(problemOf('x', new Error('y')).detail).toContain('Error: y');
  });

  it('that fails because nothing can be stored leaves the explanation to the one notice over the page', () => {
    const text = (error: Error) => problemOf('The runs could not be read', error).text;
    expect(text(new DOMException('The request was denied.', 'SecurityError'))).toBe(
      'The runs could not be read.',
    );
    expect(useSession.getState().storageNews).toBe('denied');
    useSession.setState({ storageNews: null });
    // Only this action found no room: its own message says so.
    expect(text(new DOMException('', 'QuotaExceededError'))).toMatch(
      /^The runs could not be read: The browser’s storage for this site is full; delete /u,
    );
    expect(useSession.getState().storageNews).toBeNull();
  });
});

describe('messages', () => {
  it('of one burst are one drawing, in their order', () => {
    const frames: (() => void)[] = [];
    stubPage();
    vi.stubGlobal('requestAnimationFrame', (run: () => void) => frames.push(run));
    const drawn: number[][] = [];
    const queue = createFrameQueue<number>((messages) => drawn.push(messages));
    queue([1, 2]);
    queue([3]);
    expect([frames.length, drawn]).toEqual([1, []]);
    frames[0]?.();
    queue([4]);
    frames[1]?.();
    expect(drawn).toEqual([[1, 2, 3], [4]]);
  });

  it('of a hidden tab, which has no frames, come all the same', () => {
    vi.useFakeTimers();
    stubPage({ visible: false });
    vi.stubGlobal('requestAnimationFrame', () => undefined);
    const drawn: number[][] = [];
    createFrameQueue<number>((messages) => drawn.push(messages))([1]);
    vi.advanceTimersByTime(100);
    expect(drawn).toEqual([[1]]);
    vi.useRealTimers();
  });
});

it('draws heavy things one a frame, in order, and not what was taken back', () => {
  const frames: (() => void)[] = [];
  vi.stubGlobal('requestAnimationFrame', (run: () => void) => frames.push(run));
  const drawn: string[] = [];
  takeTurn(() => drawn.push('a'));
  const takeBack = takeTurn(() => drawn.push('b'));
  takeTurn(() => drawn.push('c'));
  takeBack();
  for (let i = 0; i < frames.length; i++) frames[i]?.();
  expect(drawn).toEqual(['a', 'c']);
  // One frame each, and one that finds nothing.
  expect(frames).toHaveLength(3);
});

it('takes of a list only what is in it', () => {
  expect(pickOf(['a', 'b'], 'b')).toBe('b');
  expect(pickOf(['a', 'b'], 'c')).toBeNull();
  expect(pickOf(['a', 'b'], '')).toBeNull();
});

it.each([
  ['UR² — my run, 2', 'ur-my-run-2'],
  ['../../etc/passwd', '..-..-etc-passwd'],
  ['---', 'run'],
  ['', 'run'],
])('%j may stand in the name of a file as %s', (name, stem) => {
  expect(fileStem(name)).toBe(stem);
});
