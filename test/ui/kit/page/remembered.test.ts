import { afterEach, expect, it, vi } from 'vitest';
import { remember, remembered } from '../../../../src/ui/kit/page/remembered.ts';

afterEach(() => vi.unstubAllGlobals());

it('a text is kept under its key', () => {
  const kept = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
  });
  remember('forage.a', 'one');
  remember('forage.a', 'two');
  expect(remembered('forage.a')).toBe('two');
  expect(remembered('forage.b')).toBeNull();
});

it('works in a browser without storage, or with blocked storage', () => {
  vi.stubGlobal('localStorage', undefined);
  expect(remembered('forage.a')).toBeNull();
  expect(() => remember('forage.a', 'one')).not.toThrow();
  vi.stubGlobal('localStorage', {
    getItem: () => {
      throw new DOMException('denied', 'SecurityError');
    },
    setItem: () => {
      throw new DOMException('full', 'QuotaExceededError');
    },
  });
  expect(remembered('forage.a')).toBeNull();
  expect(() => remember('forage.a', 'one')).not.toThrow();
});
