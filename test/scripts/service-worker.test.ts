import { readFileSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import { describe, expect, it } from 'vitest';

/** The service worker of a page at /at/, run in a scope of its own over a host and stores of this test. */

const SOURCE = readFileSync('scripts/serve/service-worker.js', 'utf8');
const ORIGIN = 'https://host.example';
const PAGE = '<link href="./assets/a.css"><script src="./assets/a.js"></script>';
const HEADERS = { 'Cross-Origin-Embedder-Policy': 'require-corp', 'X-One': 'ours' };

interface Asked {
  url: string;
  method: string;
  mode: string;
}

/** What the browser stores: by name of a store and path of a file. */
type Stores = Map<string, Map<string, string>>;

const pathOf = (request: string | Asked): string =>
  new URL(typeof request === 'string' ? request : request.url, ORIGIN).pathname;

/** @param host answers by path, what it lacks with 404; null once it has gone */
const worker = (options: {
  query?: string;
  stores?: Stores;
  host?: Readonly<Record<string, string>> | null;
  files?: readonly string[];
  /** Address of the worker that answered until now. */
  active?: string;
}) => {
  const { query = '', stores = new Map() as Stores, files = [], active } = options;
  let { host = {} } = options;
  const listeners = new Map<string, (event: object) => void>();
  const done = { skipped: 0, claimed: 0 };
  const open = (name: string) => {
    const store = stores.get(name) ?? new Map<string, string>();
    stores.set(name, store);
    return Promise.resolve({
      addAll: (requests: Asked[]) => {
        const found = requests.map((one) => [pathOf(one), host?.[pathOf(one)]] as const);
        // All or none, as browsers do it.
        for (const [path, text] of found) if (text === undefined) throw new Error(`no ${path}`);
        for (const [path, text] of found) store.set(path, text ?? '');
        return Promise.resolve();
      },
      match: (request: string | Asked) => {
        const text = store.get(pathOf(request));
        return Promise.resolve(text === undefined ? undefined : new Response(text));
      },
    });
  };
  const scope = {
    VERSION: 'two',
    FILES: files,
    HEADERS,
    URL,
    Response,
    Headers,
    Request: class {
      readonly url: string;
      constructor(file: string) {
        this.url = new URL(file, `${ORIGIN}/at/sw.js`).href;
      }
    },
    location: new URL(`${ORIGIN}/at/sw.js${query}`),
    fetch: (request: string | Asked) => {
      if (host === null) return Promise.reject(new TypeError('the host has gone'));
      const text = host[pathOf(request)];
      const init = { status: text === undefined ? 404 : 200, headers: { 'X-One': 'of the host' } };
      return Promise.resolve(new Response(text ?? 'not found', init));
    },
    caches: {
      open,
      keys: () => Promise.resolve([...stores.keys()]),
      delete: (name: string) => Promise.resolve(stores.delete(name)),
    },
    self: {
      addEventListener: (name: string, listener: (event: object) => void) =>
        listeners.set(name, listener),
      skipWaiting: () => Promise.resolve(done.skipped++),
      clients: { claim: () => Promise.resolve(done.claimed++) },
      registration: { active: active === undefined ? null : { scriptURL: ORIGIN + active } },
    },
  };
  runInContext(SOURCE, createContext(scope));
  const lives = async (name: 'install' | 'activate'): Promise<void> => {
    let until: Promise<unknown> = Promise.resolve();
    listeners.get(name)?.({ waitUntil: (work: Promise<unknown>) => (until = work) });
    await until;
  };
  return {
    done,
    stores,
    lives,
    loseHost: () => (host = null),
    /** @returns undefined where the browser is left to ask by itself */
    ask: async (path: string, change: Partial<Asked> = {}): Promise<Response | undefined> => {
      let answer: Promise<Response> | undefined;
      const request = { url: new URL(path, ORIGIN).href, method: 'GET', mode: 'cors', ...change };
      const respondWith = (given: Promise<Response>) => (answer = given);
      listeners.get('fetch')?.({ request, respondWith });
      return answer;
    },
  };
};

const opens = { mode: 'navigate' };
const all = { '/at/': PAGE, '/at/world/manifest.json': '{}', '/at/assets/a.js': 'new' };
const files = ['./', './world/manifest.json', './assets/a.js'];
const links = PAGE.replaceAll('./', '/at/');

describe('that a page without headers starts', () => {
  it('stores nothing and answers at once', async () => {
    const one = worker({ query: '?isolate', host: all, files });
    await one.lives('install');
    expect([one.done.skipped, one.stores.size]).toEqual([1, 0]);
    await one.lives('activate');
    expect(one.done.claimed).toBe(1);
  });

  it('gives way to the one that stores all, at once', async () => {
    const one = worker({ host: all, files, active: '/at/sw.js?isolate' });
    await one.lives('install');
    expect(one.done.skipped).toBe(1);
    expect([...(one.stores.get('forage /at/ two') ?? [])]).toEqual(Object.entries(all));
  });

  it('adds the headers that its host did not send, and no others', async () => {
    const one = worker({ query: '?isolate', host: all });
    const answer = await one.ask('/at/world/manifest.json');
    expect(answer?.headers.get('Cross-Origin-Embedder-Policy')).toBe('require-corp');
    expect(answer?.headers.get('X-One')).toBe('of the host');
    expect(await answer?.text()).toBe('{}');
  });
});

describe('that stores all files', () => {
  it('waits for the tabs of an older build, whose stores it removes then, and no others', async () => {
    const stores: Stores = new Map(
      ['forage /at/ one', 'forage /other/ one', 'forage-one', 'else'].map((name) => [
        name,
        new Map(),
      ]),
    );
    const one = worker({ host: all, files, stores, active: '/at/sw.js' });
    await one.lives('install');
    expect(one.done.skipped).toBe(0);
    expect(stores.has('forage /at/ one')).toBe(true);
    await one.lives('activate');
    expect([...stores.keys()].toSorted()).toEqual([
      'else',
      'forage /at/ two',
      'forage /other/ one',
      'forage-one',
    ]);
  });

  it('stores none where one is missing', async () => {
    const one = worker({ host: { '/at/': PAGE }, files });
    await expect(one.lives('install')).rejects.toThrow('no /at/world/manifest.json');
    expect(one.stores.get('forage /at/ two')?.size).toBe(0);
  });

  it('answers without its host with what it stored, at every address with the page', async () => {
    const one = worker({ host: all, files });
    await one.lives('install');
    one.loseHost();
    for (const path of [
      '/at/',
      '/at/models',
      '/at/rollouts/nothing/here',
      '/at/rollouts/a/b.jsonl',
    ]) {
      const answer = await one.ask(path, opens);
      expect([path, await answer?.text()]).toEqual([path, links]);
      expect(answer?.headers.get('Cross-Origin-Embedder-Policy')).toBe('require-corp');
    }
    expect(await (await one.ask('/at/world/manifest.json'))?.text()).toBe('{}');
    await expect(one.ask('/at/world/none.json')).rejects.toThrow('the host has gone');
  });

  it('shows the host’s files while it is reachable, except for assets, which never change', async () => {
    const one = worker({
      host: { ...all, '/at/assets/b.js': 'b' },
      files,
      stores: new Map([
        [
          'forage /at/ two',
          new Map([
            ['/at/world/manifest.json', 'kept'],
            ['/at/assets/a.js', 'kept'],
          ]),
        ],
      ]),
    });
    expect(await (await one.ask('/at/world/manifest.json'))?.text()).toBe('{}');
    expect(await (await one.ask('/at/assets/a.js'))?.text()).toBe('kept');
    expect(await (await one.ask('/at/assets/b.js'))?.text()).toBe('b');
  });
});

it('opens an address that the host, which knows files only, has none for; a file that is missing stays so', async () => {
  const one = worker({ host: all });
  const answer = await one.ask('/at/rollouts/nothing/here', opens);
  expect([answer?.status, await answer?.text()]).toEqual([200, links]);
  expect((await one.ask('/at/world/none.json'))?.status).toBe(404);
  expect((await one.ask('/at/none.html', opens))?.status).toBe(404);
});

it('leaves alone what is not of its origin, and what is sent', async () => {
  const one = worker({ host: all });
  expect(await one.ask('https://other.example/at/')).toBeUndefined();
  expect(await one.ask('/at/', { method: 'POST' })).toBeUndefined();
});
