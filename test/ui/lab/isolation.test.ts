import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isolate, isolation } from '../../../src/ui/lab/isolation.ts';

/** A page that is served without the headers, in a browser that can add them by a service worker. */

interface Worker {
  state: string;
  addEventListener: (name: string, look: () => void) => void;
  removeEventListener: () => void;
  become: (state: string) => void;
}

const worker = (state = 'installing'): Worker => {
  const looks: (() => void)[] = [];
  const one: Worker = {
    state,
    addEventListener: (_, look) => void looks.push(look),
    removeEventListener: () => undefined,
    become: (next) => {
      one.state = next;
      looks.forEach((look) => look());
    },
  };
  return one;
};

let stored: Map<string, string>;
let reload: ReturnType<typeof vi.fn>;
let explain: ReturnType<typeof vi.fn<() => void>>;

/** @param active one that an earlier load registered @param installing one that is registered now */
const page = (part: {
  isolated?: boolean;
  active?: Worker;
  installing?: Worker;
  register?: () => Promise<unknown>;
}) => {
  const { isolated = false, active, installing, register } = part;
  const registered = vi.fn(register ?? (() => Promise.resolve({ installing })));
  vi.stubGlobal('crossOriginIsolated', isolated);
  vi.stubGlobal('navigator', {
    serviceWorker: {
      getRegistration: () => Promise.resolve(active && { active }),
      register: registered,
    },
  });
  return registered;
};

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubEnv('PROD', true);
  stored = new Map();
  reload = vi.fn();
  explain = vi.fn<() => void>();
  const top = {};
  vi.stubGlobal('window', Object.assign(top, { top }));
  vi.stubGlobal('location', { reload });
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

/** What it comes to once all that it waits for has been waited for. */
const settled = async (): Promise<boolean> => {
  const ends = isolate(explain);
  await vi.advanceTimersByTimeAsync(15_000);
  return ends;
};
const state = () => isolation();

describe('a page that its host isolates', () => {
  it('starts at once, and registers nothing', async () => {
    const registered = page({ isolated: true });
    expect(await isolate(explain)).toBe(false);
    expect(state()).toEqual({ by: 'host', reason: '' });
    expect([explain, reload, registered].map((one) => one.mock.calls.length)).toEqual([0, 0, 0]);
  });
});

describe('a page that is not isolated', () => {
  it('says why, starts its service worker and loads again, once', async () => {
    const one = worker();
    const registered = page({ installing: one });
    const ends = isolate(explain);
    await vi.advanceTimersByTimeAsync(0);
    expect(explain).toHaveBeenCalledOnce();
    one.become('activated');
    await vi.advanceTimersByTimeAsync(500);
    // What is shown for a moment only flickers.
    expect(reload).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1000);
    expect(await ends).toBe(true);
    expect(reload).toHaveBeenCalledOnce();
    expect(String(registered.mock.calls[0])).toContain('sw.js?isolate');
    // The same tab, after its reload.
    page({ isolated: true, active: one });
    expect(await isolate(explain)).toBe(false);
    expect(state().by).toBe('reloaded');
    expect(reload).toHaveBeenCalledOnce();
  });

  it('does not load again and again where the browser takes no notice', async () => {
    page({ active: worker('activated') });
    expect(await settled()).toBe(true);
    expect(await settled()).toBe(false);
    expect(reload).toHaveBeenCalledOnce();
    expect(state().by).toBe('nobody');
    expect(state().reason).toContain('the browser ignored them');
  });

  it('uses the service worker that it has', async () => {
    const registered = page({ active: worker('activated') });
    expect(await settled()).toBe(true);
    expect(registered).not.toHaveBeenCalled();
  });

  it('does not wait for ever for a service worker that does not start', async () => {
    page({ installing: worker() });
    expect(await settled()).toBe(false);
    expect(state()).toEqual({
      by: 'nobody',
      reason: 'its service worker did not start in time',
    });
    expect(reload).not.toHaveBeenCalled();
  });

  it.each<[string, () => void, RegExp]>([
    [
      'a service worker that cannot be installed',
      () => page({ installing: worker('redundant') }),
      /did not start$/,
    ],
    [
      'a browser that refuses it',
      () => page({ register: () => Promise.reject(new Error('the quota is used up')) }),
      /^the quota is used up$/,
    ],
    [
      'an address without https',
      () => {
        page({});
        vi.stubGlobal('navigator', {});
      },
      /without https/,
    ],
    [
      'a page inside another page',
      () => {
        page({});
        vi.stubGlobal('window', { top: {} });
      },
      /inside another page/,
    ],
    [
      'a browser that keeps nothing for a tab',
      () => {
        page({ active: worker('activated') });
        vi.stubGlobal('sessionStorage', {
          getItem: () => null,
          setItem: () => {
            throw new Error('storage is off');
          },
        });
      },
      /^storage is off$/,
    ],
    [
      'sources that are being developed',
      () => {
        page({});
        vi.stubEnv('PROD', false);
      },
      /development server/,
    ],
  ])('starts without it, with the reason: %s', async (_, given, reason) => {
    given();
    expect(await settled()).toBe(false);
    expect(reload).not.toHaveBeenCalled();
    expect(state().by).toBe('nobody');
    expect(state().reason).toMatch(reason);
  });
});
