import { describe, expect, it } from 'vitest';
import { createPaintQueue } from '../../src/ui/kit/page/paint-queue.ts';

/** Frames and a clock that are moved by hand. */
const manual = () => {
  let time = 0;
  let frame: (() => void) | null = null;
  const drawn: string[] = [];
  const queue = createPaintQueue(
    (run) => (frame = run),
    () => time,
  );
  const paint = (name: string, ms: number) => () => {
    drawn.push(name);
    time += ms;
  };
  const next = () => {
    const run = frame;
    frame = null;
    run?.();
  };
  return { queue, paint, next, drawn, idle: () => frame === null };
};

describe('the paint queue', () => {
  it('spreads drawings that do not fit into one frame over the next', () => {
    const { queue, paint, next, drawn, idle } = manual();
    for (const name of ['a', 'b', 'c']) queue.add({ name }, paint(name, 5));
    next();
    expect(drawn).toEqual(['a', 'b']);
    next();
    expect(drawn).toEqual(['a', 'b', 'c']);
    expect(idle()).toBe(true);
  });

  it('draws only the latest of one key, and nothing that was dropped', () => {
    const { queue, paint, next, drawn } = manual();
    const strip = {};
    const gone = {};
    queue.add(strip, paint('old', 1));
    queue.add(strip, paint('new', 1));
    queue.add(gone, paint('gone', 1));
    queue.drop(gone);
    next();
    expect(drawn).toEqual(['new']);
  });
});
