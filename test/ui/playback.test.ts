import { describe, expect, it } from 'vitest';
import { dwellMs, moveStep } from '../../src/ui/ask/store/playback.ts';

describe('playback', () => {
  it('enters at the end when going back, at the beginning when going forward', () => {
    expect(moveStep(null, 'back', 5)).toBe(4);
    expect(moveStep(null, 'forward', 5)).toBe(0);
  });

  it('stays within the events', () => {
    expect(moveStep(0, 'back', 5)).toBe(0);
    expect(moveStep(4, 'forward', 5)).toBe(4);
    expect(moveStep(2, 'first', 5)).toBe(0);
    expect(moveStep(2, 'last', 5)).toBe(4);
  });

  it('comes back into range when an address names a step that is not there', () => {
    expect(moveStep(40, 'back', 5)).toBe(3);
  });

  it('shows everything when it is left, or when nothing has happened', () => {
    expect(moveStep(3, 'leave', 5)).toBeNull();
    expect(moveStep(null, 'forward', 0)).toBeNull();
  });

  it('rests longer on longer text, and never too long', () => {
    expect(dwellMs(10)).toBeLessThan(dwellMs(80));
    expect(dwellMs(10_000)).toBe(2600);
  });
});
