import { describe, expect, it } from 'vitest';
import { BUILT_IN_SETUP, type Setup } from '../../../../src/records/setup.ts';
import {
  describeSetup,
  formatLink,
  linkWords,
  parseLink,
  resolveSetup,
  type DeviceLists,
} from '../../../../src/ui/ask/store/link-setup.ts';

const HASH = 'ab'.repeat(32);

/** A device; the other one has the same things under other ids. */
const device = (mark: string): DeviceLists => ({
  collections: [{ id: `${mark}-rivers`, name: 'rivers', hash: HASH }],
  checkpoints: [{ id: `${mark}-qwen`, name: 'Qwen', revision: '0123456789ab' }],
  resources: {
    endpoints: [
      {
        id: `${mark}-server`,
        url: 'http://me:secret@lab:8080/v1?key=sk-secret',
        model: 'tiny',
        api: 'chat',
        maxContext: 4096,
      },
    ],
  },
});

const setupOf = (mark: string): Setup => ({
  policy: { kind: 'checkpoint', id: `${mark}-qwen` },
  local: {
    kind: 'collections',
    ids: [`${mark}-rivers`],
    method: 'hybrid',
    encoder: 'e5@1',
    reranker: null,
  },
  web: { kind: 'search-r1', url: 'http://lab:8000/retrieve?key=sk-secret' },
  source: 'local',
  questions: { kind: 'collections', ids: [`${mark}-rivers`] },
  summarizer: { kind: 'extractive' },
  judge: { kind: 'model', policy: { kind: 'endpoint', id: `${mark}-server` } },
});

const carried = (setup: Setup, lists: DeviceLists) =>
  parseLink(formatLink(describeSetup(setup, lists)));

describe('the setup in an address', () => {
  it('finds on another device what is the same there, under its ids', () => {
    const link = carried(setupOf('a'), device('a'));
    const there = { ...setupOf('b'), web: BUILT_IN_SETUP.web };
    const { setup, missing } = resolveSetup(link, device('b'), there);
    expect(missing).toEqual([]);
    expect(setup).toEqual({
      ...setupOf('b'),
      web: { kind: 'search-r1', url: 'http://lab:8000/retrieve' },
    });
    // The same setup is the same text on both, so nobody is asked.
    expect(formatLink(describeSetup(setup, device('b')))).toBe(formatLink(link));
  });

  it('carries no secret of an address, and keeps the one that this device knows', () => {
    const link = carried(setupOf('a'), device('a'));
    expect(formatLink(link)).not.toMatch(/secret|me:/);
    expect(resolveSetup(link, device('a'), setupOf('a')).setup).toEqual(setupOf('a'));
  });

  it('is empty where everything is built in', () => {
    expect(formatLink(describeSetup(BUILT_IN_SETUP, device('a')))).toBe('');
    expect(resolveSetup({}, device('a'), setupOf('a')).setup).toEqual(BUILT_IN_SETUP);
  });

  it('says what is not here and what to do, and leaves those parts as they are chosen', () => {
    const link = carried(setupOf('a'), device('a'));
    const nothing: DeviceLists = { collections: [], checkpoints: [], resources: { endpoints: [] } };
    const { setup, missing } = resolveSetup(link, nothing, BUILT_IN_SETUP);
    expect(setup).toEqual({
      ...BUILT_IN_SETUP,
      web: { kind: 'search-r1', url: 'http://lab:8000/retrieve' },
      summarizer: { kind: 'extractive' },
    });
    expect(missing).toEqual([
      'the checkpoint “Qwen”: add it on Models',
      'the collection “rivers”: import its files on Corpus',
      'the server of tiny at http://lab:8080/v1: add it on Models',
    ]);
  });

  it('of a time when every run searched as its recipe says means that still', () => {
    const { source: _, ...link } = carried(setupOf('a'), device('a'));
    expect(resolveSetup(link, device('a'), setupOf('a')).setup).toEqual({
      ...setupOf('a'),
      source: 'recipe',
    });
  });

  it('tells a collection that was changed from the one of its name', () => {
    const link = carried(setupOf('a'), device('a'));
    const changed = device('a');
    const collections = [{ ...changed.collections[0]!, hash: 'cd'.repeat(32) }];
    const { missing } = resolveSetup(link, { ...changed, collections }, BUILT_IN_SETUP);
    expect(missing).toEqual(['the collection “rivers”: import its files on Corpus']);
  });

  it('says every part as text', () => {
    expect(linkWords(carried(setupOf('a'), device('a')))).toEqual([
      { part: 'model', words: 'Qwen' },
      { part: 'questions', words: 'rivers' },
      { part: 'passages', words: 'rivers (hybrid, e5@1), only these' },
      { part: 'web', words: 'search-r1 at http://lab:8000/retrieve' },
      { part: 'summarizer', words: 'extractive' },
      { part: 'judge', words: 'tiny at lab:8080' },
    ]);
  });
});
