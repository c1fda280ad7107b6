import { expect, it } from 'vitest';
import { completeAddress } from '../../../../src/retrieval/engines/address.ts';
import { ENGINES } from '../../../../src/retrieval/engines/kinds/list.ts';
import { setupSchema } from '../../../../src/retrieval/setup.ts';
import { BUILT_IN_SETUP } from '../../../../src/records/setup.ts';
import { WEB_KINDS, webKind } from '../../../../src/ui/corpus/WebSourceForm.tsx';

it('the built-in web is offered first, then every search engine, each once', () => {
  const ids = WEB_KINDS.map(({ id }) => id);
  expect(ids).toEqual(['built-in', ...ENGINES.map(({ id }) => id)]);
  expect(new Set(WEB_KINDS.map(({ name }) => name)).size).toBe(ids.length);
  for (const { about } of WEB_KINDS) expect(about).toMatch(/^[A-Z].{20,}\.$/);
});

it('the address that a kind shows as its example can be typed and is asked at its path', () => {
  for (const { id, example } of WEB_KINDS) {
    if (id === 'built-in') expect(example).toBe('');
    else {
      const web = { kind: id, url: completeAddress(id, example) };
      expect(web.url).toContain(example);
      expect(setupSchema.parse({ ...BUILT_IN_SETUP, web }).web).toEqual(web);
    }
  }
});

it('a kind that this version does not know is shown as the built-in web', () => {
  expect(webKind('searxng').name).toBe('SearXNG');
  expect(webKind('altavista').id).toBe('built-in');
});
