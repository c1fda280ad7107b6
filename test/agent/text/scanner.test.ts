import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProtocolParser, type Parsed } from '../../../src/agent/transcript/parse.ts';
import { createScanner, type Unit } from '../../../src/agent/transcript/scanner.ts';
import { readTags } from '../../../src/agent/transcript/tags.ts';
import { ByteRuns, wordTokenizer } from './tokenizers.ts';

const known = readTags(wordTokenizer);
/** No id of these vocabularies ends a text. */
const tags = { ...known, meaning: () => undefined };

interface Read {
  units: Unit[];
  parsed: Parsed[];
}

function read(ids: readonly number[], decode: (ids: readonly number[]) => string): Read {
  const scanner = createScanner(tags, decode);
  const parser = new ProtocolParser(tags, decode);
  const units = ids.flatMap((id) => scanner.push({ id }));
  units.push(...scanner.flush());
  return { units, parsed: units.flatMap((unit) => parser.take(unit).parsed) };
}

function readCut(text: string, cuts: readonly number[]): Read & { ids: number[] } {
  const runs = new ByteRuns();
  const ids = runs.encode(text, cuts);
  return { ids, ...read(ids, runs.decode) };
}

const everyByte = (text: string): number[] =>
  Array.from({ length: new TextEncoder().encode(text).length }, (_, i) => i);

const TAGS = [...tags.texts.keys()];
const fragment = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...TAGS) },
  { weight: 2, arbitrary: fc.constantFrom('<', '</', '<sea', '</thin', '>', '><', ' \n', ' a b') },
  { weight: 1, arbitrary: fc.constantFrom('雪', '🦊', 'é', '\\boxed{ X }', ' <b> ', '<|im_end|>') },
);
const text = fc.array(fragment, { minLength: 1, maxLength: 16 }).map((parts) => parts.join(''));
const cuts = fc.array(fc.nat({ max: 160 }), { maxLength: 60 });

describe('tags that are text', () => {
  it('mean the same however the text is cut into tokens, and every token is kept in order', () => {
    fc.assert(
      fc.property(text, cuts, (whole, where) => {
        const reference = readCut(whole, everyByte(whole));
        const cut = readCut(whole, where);
        expect(cut.parsed).toEqual(reference.parsed);
        expect(cut.units.flatMap((unit) => unit.tokens.map((token) => token.id))).toEqual(cut.ids);
        expect(cut.units.map((unit) => unit.text).join('')).toBe(whole);
      }),
      { numRuns: 400 },
    );
  });

  it.each(TAGS)('%s is one unit at each of its cuts in two, and in single characters', (tag) => {
    for (let at = 0; at <= tag.length; at++) {
      const { units, ids } = readCut(tag, [at]);
      expect(units).toHaveLength(1);
      expect(units[0]?.meaning?.tag).toBe(tag);
      expect(units[0]?.tokens.map((token) => token.id)).toEqual(ids);
    }
    expect(readCut(tag, everyByte(tag)).units).toHaveLength(1);
  });

  it('give a token that holds parts of two tags to the first', () => {
    const { units, ids } = readCut('</think><search> q', [2, 7, 9, 15, 16]);
    expect(units.map((unit) => [unit.meaning?.tag, unit.text, unit.tokens.length])).toEqual([
      ['</think>', '</think>', 3],
      ['<search>', '<search>', 2],
      [undefined, ' q', 1],
    ]);
    expect(ids).toHaveLength(6);
  });

  it('tell the text of a block, not that of the tokens: ` film</` ends with the query', () => {
    const whole = '<think> a</think><search> old film</search>';
    const { parsed } = readCut(whole, [26, 36]);
    expect(parsed.at(-1)).toEqual({
      type: 'closed',
      kind: 'search',
      inner: ' old film',
      usable: true,
    });
  });

  it('are not waited for longer than needed', () => {
    const runs = new ByteRuns();
    const scanner = createScanner(tags, runs.decode);
    const told = (part: string, at: number[] = []): string =>
      runs
        .encode(part, at)
        .flatMap((id) => scanner.push({ id }))
        .map((unit) => unit.text)
        .join('|');
    expect(told('a word')).toBe('a word');
    expect(told(' x <')).toBe('');
    expect(told('d')).toBe(' x <|d');
    expect(told('</thin')).toBe('');
    expect(told('k>')).toBe('</think>');
    expect(told('</thinking')).toBe('</thinking');
    expect(scanner.held).toBe('');
  });

  it('keep every character whole, however many tokens in a row end within one', () => {
    const whole = '雪'.repeat(8);
    const { units, ids } = readCut(whole, [1, 4, 7, 10, 13, 16, 19]);
    expect(ids).toHaveLength(8);
    expect(units.map((unit) => unit.text)).toEqual([whole]);
  });

  it('keep the halves of a character together and give up on what is none', () => {
    const runs = new ByteRuns();
    const scanner = createScanner(tags, runs.decode);
    const [a = 0, b = 0, c = 0] = runs.encode('雪', [1, 2]);
    const sizes = [a, b, c, a, a, a, a].map((id) => scanner.push({ id }).length);
    expect(sizes).toEqual([0, 0, 1, 0, 1, 1, 1]);
    expect(scanner.flush().map((unit) => unit.text)).toEqual(['\uFFFD']);
  });
});

it('a policy whose tokenizer has every tag keeps them as ids', async () => {
  const { tokenizer } = await import('../tokenizer.ts');
  const ids = readTags(tokenizer);
  expect(ids.spelling).toBe('ids');
  expect(ids.stops.stopTexts).toEqual([]);
  expect(tags.spelling).toBe('text');
  expect(tags.stops.stopTexts).toContain('</search>');
  expect(tags.stops.stopTexts).not.toContain('</think>');
  expect(tags.thoughtStops.stopTexts).toContain('</think>');
  expect(tags.stops.stopIds).toEqual(wordTokenizer.endIds);
});
