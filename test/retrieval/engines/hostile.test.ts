import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EngineError } from '../../../src/retrieval/engines/errors.ts';
import { engineOf, type EngineSpec } from '../../../src/retrieval/engines/index.ts';
import { EngineHttp } from '../../../src/retrieval/engines/http.ts';
import { htmlToText } from '../../../src/retrieval/engines/plain-text.ts';
import { DOCUMENTS, LINES, wikiFixture } from './strict.ts';

const RECORDED: Record<EngineSpec['kind'], string[]> = {
  mediawiki: ['wolf', 'wolf-part1', 'wolf-snippets', 'no-extracts', 'error'].map(wikiFixture),
  searxng: [
    JSON.stringify({ results: [{ url: 'https://a.b/', title: 'A', content: '<b>x</b>.' }] }),
  ],
  'search-r1': [
    JSON.stringify({ result: [DOCUMENTS.map((document) => ({ document, score: 0.5 }))] }),
  ],
  'r1-searcher': [JSON.stringify({ queries: ['q'], answers: [LINES] })],
  research: [JSON.stringify([[DOCUMENTS], [[0.9, 0.8, 0.7]]])],
};

const JUNK = ['null', '[]', '{}', '-1', '1e400', '"\\ud800"', 'true', '[[[]]]', '"<script>"', ','];

/** Cuts, doubles, swaps or replaces a part of the text, on the level of characters and of values. */
const mutated = (texts: readonly string[]): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom(...texts),
      fc.array(
        fc.record({
          at: fc.integer({ min: 0, max: 999_999 }).map((n) => n / 1e6),
          length: fc.nat({ max: 40 }),
          what: fc.oneof(
            fc.constantFrom('cut', 'double', 'end'),
            fc.constantFrom(...JUNK).map((junk) => `=${junk}`),
            fc.string({ maxLength: 6, unit: 'binary' }).map((junk) => `=${junk}`),
            fc.constantFrom(...JUNK).map((junk) => `v${junk}`),
          ),
        }),
        { minLength: 1, maxLength: 3 },
      ),
    )
    .map(([text, changes]) => changes.reduce(change, text));

function change(text: string, { at, length, what }: { at: number; length: number; what: string }) {
  const start = Math.floor(at * text.length);
  const part = text.slice(start, start + length);
  const rest = text.slice(start + length);
  const head = text.slice(0, start);
  if (what === 'cut') return head + rest;
  if (what === 'double') return head + part + part + rest;
  if (what === 'end') return head;
  if (what.startsWith('=')) return head + what.slice(1) + rest;
  return replaceValue(text, at, what.slice(1));
}

/** Puts another value, or none, in place of one node of the JSON: still JSON, of another shape. */
function replaceValue(text: string, at: number, junk: string): string {
  let left = Math.floor(at * (text.match(/[[{:,]/gu)?.length ?? 1));
  try {
    const value: unknown = JSON.parse(junk === ',' ? 'null' : junk);
    const changed = JSON.stringify(JSON.parse(text), (_key, node: unknown) =>
      left-- === 0 ? (junk === ',' ? undefined : value) : node,
    ) as string | undefined;
    return changed ?? '';
  } catch {
    return text;
  }
}

async function search(kind: EngineSpec['kind'], text: string) {
  const fetch = () => Promise.resolve(new Response(text));
  const clock = { now: () => 0, sleep: () => Promise.resolve(), random: () => 0 };
  const http = new EngineHttp({ ...clock, fetch }, { retries: 0, intervalMs: 0 });
  const engine = engineOf({ kind, url: 'http://engine.test/api.php' });
  return engine.search({ query: 'wolf', k: 5, http, meter: { requests: 0, bytes: 0 } });
}

/** 10,000 mutated answers over the five protocols. */
const RUNS = 2_000;

describe('a mutated answer is read or refused with a typed error', () => {
  it.each(Object.keys(RECORDED) as EngineSpec['kind'][])('%s', async (kind) => {
    for (const text of RECORDED[kind]) if (kind !== 'mediawiki') await search(kind, text);
    let read = 0;
    await fc.assert(
      fc.asyncProperty(mutated(RECORDED[kind]), async (text) => {
        const start = performance.now();
        try {
          for (const { passage } of await search(kind, text)) {
            expect(passage.text).toBe(passage.sentences.join(' '));
            expect(passage.text).not.toBe('');
            expect(passage.text).not.toMatch(/\p{Surrogate}|\p{Cc}/u);
            expect(passage.text.length).toBeLessThanOrEqual(3100);
            if (passage.url !== undefined) expect(passage.url).toMatch(/^https?:/u);
            read += 1;
          }
        } catch (error) {
          if (!(error instanceof EngineError)) throw error;
        }
        expect(performance.now() - start).toBeLessThan(1000);
      }),
      { numRuns: RUNS },
    );
    // Some mutations are harmless, or the test would prove nothing.
    expect(read).toBeGreaterThan(RUNS / 50);
  });
});

describe('markup', () => {
  it('becomes text once, and what is no tag stays', () => {
    expect(htmlToText('a <b>b</b>c<br>d &lt;i&gt; &amp;lt; 1 < 2 > 0 &#x1F43A;')).toBe(
      'a bc d <i> &lt; 1 < 2 > 0 🐺',
    );
    expect(htmlToText('<script>alert(1)</script>x<style>y</style>')).toBe('x');
    expect(htmlToText('&#0;&#xD800;&bogus;')).toBe('\uFFFD\uFFFD&bogus;');
  });

  it('takes time in proportion to its length', () => {
    for (const part of ['<', '<script', '<a ', '&#', '<!--', '&amp;', "'"]) {
      const start = performance.now();
      htmlToText(part.repeat(60_000));
      expect(performance.now() - start).toBeLessThan(1000);
    }
  });
});
