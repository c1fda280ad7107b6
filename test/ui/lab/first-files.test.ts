import { afterEach, expect, it, vi } from 'vitest';
import { BUILT_IN_SETUP } from '../../../src/records/setup.ts';

/** What an open page asks for, each time of a page that was just opened. */

const LIST = {
  lab: ['assets/lab.js'],
  sources: ['world/local.json'],
  policy: ['policy/config.json'],
};

const open = async (options: { list?: boolean; controller?: object; hostname?: string } = {}) => {
  vi.resetModules();
  const { askAhead } = await import('../../../src/ui/lab/first-files.ts');
  const content = options.list === false ? null : JSON.stringify(LIST);
  vi.stubGlobal('document', {
    querySelector: (query: string) =>
      query === 'meta[name="first-files"]' && content !== null
        ? { getAttribute: () => content }
        : null,
  });
  vi.stubGlobal('location', { hostname: options.hostname ?? 'forage.example' });
  vi.stubGlobal('navigator', { serviceWorker: { controller: options.controller ?? null } });
  const asked: string[] = [];
  vi.stubGlobal('fetch', (url: string) => {
    asked.push(url.replace(/^.*\/(?=\w+\/)/, ''));
    return Promise.reject(new Error('the network is gone'));
  });
  return { askAhead, asked };
};
afterEach(() => vi.unstubAllGlobals());

it('asks for what is needed, once, and is silent where it does not come', async () => {
  const { askAhead, asked } = await open();
  askAhead(['lab'], BUILT_IN_SETUP);
  askAhead(['lab', 'policy'], BUILT_IN_SETUP);
  expect(asked).toEqual(['assets/lab.js', 'policy/config.json']);
  await new Promise((done) => setTimeout(done));
});

it('asks too where a service worker only adds headers', async () => {
  const { askAhead, asked } = await open({
    controller: { scriptURL: 'https://host/sw.js?isolate' },
  });
  askAhead(['lab'], BUILT_IN_SETUP);
  expect(asked).toEqual(['assets/lab.js']);
});

it('asks for nothing that the setup takes from elsewhere', async () => {
  const { askAhead, asked } = await open();
  askAhead(['lab', 'sources', 'policy'], {
    ...BUILT_IN_SETUP,
    policy: { kind: 'checkpoint', id: 'mine' },
    local: {
      kind: 'collections',
      ids: ['c'],
      method: 'lexical',
      encoder: 'built-in',
      reranker: null,
    },
  });
  expect(asked).toEqual(['assets/lab.js']);
});

it.each([
  ['a page that is stored on this device', { controller: { scriptURL: 'https://host/sw.js' } }],
  ['a development server, which lists nothing', { list: false }],
  ['a server of this machine', { hostname: 'localhost' }],
  ['a server of this machine, by its number', { hostname: '127.0.0.1' }],
])('asks for nothing on %s', async (_, options) => {
  const { askAhead, asked } = await open(options);
  askAhead(['lab', 'sources', 'policy'], BUILT_IN_SETUP);
  expect(asked).toEqual([]);
});
