import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { sourcesInUse } from '../../../src/agent/answers/unknown-names.ts';
import { select } from '../../../src/cli/commands/rollout.ts';
import {
  overridesOf,
  partsOptions,
  PARTS_OPTIONS,
  QUESTION_OPTIONS,
  RECIPE_OPTIONS,
} from '../../../src/cli/shared/shared-options.ts';
import { openCorpus, readCorpus, readQuestions } from '../../../src/cli/shared/import-files.ts';
import { parseOptions } from '../../../src/cli/shared/options.ts';
import type { Parts } from '../../../src/cli/shared/parts.ts';
import { getRecipe } from '../../../src/systems/index.ts';
import { withOverrides } from '../../../src/recipes/parts/settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'forage-import-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

const lines = (...items: unknown[]): string => items.map((item) => JSON.stringify(item)).join('\n');

const rivers = file(
  'rivers.json',
  JSON.stringify({ Elbe: ['The Elbe runs through Dresden.'], Oder: ['The Oder is a river.'] }),
);
const towns = file(
  'towns.jsonl',
  lines({ id: '1', contents: '"Dresden"\nDresden is a city of Saxony.' }, { id: '2' }),
);
const asked = file(
  'asked.jsonl',
  lines(
    { id: 'a', question: 'Through which city does the Elbe run?', golden_answers: ['Dresden'] },
    { id: 'b', question: 'Is the Oder a river?', golden_answers: ['yes'] },
  ),
);

describe('custom files', () => {
  test('become one corpus that is searched, and what was rejected is said', async () => {
    const said: string[] = [];
    const passages = await readCorpus([rivers, towns], (line) => said.push(line));
    expect(passages.map(({ title }) => title)).toEqual(['Elbe', 'Oder', 'Dresden']);
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(/towns\.jsonl: 1 rejected, the first at line 2/);
    const source = await openCorpus(passages, 'lexical', '', () => undefined);
    const { hits } = await source.search('city of Saxony', 1);
    expect(hits.map(({ passage }) => passage.title)).toEqual(['Dresden']);
  });

  test('questions keep their order; all are asked unless a split is named', async () => {
    const { questions } = await readQuestions(asked, () => undefined);
    expect(questions.map(({ id, answers }) => [id, answers])).toEqual([
      ['a', ['Dresden']],
      ['b', ['yes']],
    ]);
    const parts = { world: { questions } } as unknown as Parts;
    const ids = (values: Record<string, string | number>) =>
      select(parts, { limit: 10, ...values }).map(({ id }) => id);
    expect(ids({ questions: asked })).toEqual(['a', 'b']);
    expect(ids({ questions: asked, limit: 1 })).toEqual(['a']);
    const splits = ['train', 'dev', 'test'].map((split) => {
      try {
        return ids({ questions: asked, split });
      } catch {
        return [];
      }
    });
    expect(splits.flat().toSorted()).toEqual(['a', 'b']);
  });

  test.each([
    [
      () => readCorpus(['/nowhere.json'], () => undefined),
      /\/nowhere\.json is not a readable file/,
    ],
    [() => readCorpus([asked], () => undefined), /asked\.jsonl: no passages/],
    [() => readQuestions(rivers, () => undefined), /rivers\.json: no questions found/],
    [
      () => openCorpus([], 'flat', '/nowhere', () => undefined),
      /\/nowhere is not the folder of an enc/,
    ],
  ])('faults say which file and what it lacks %#', async (act, message) => {
    await expect(act()).rejects.toThrow(message);
  });
});

describe('options', () => {
  const spec = {
    name: 'rollout',
    summary: '',
    options: { ...RECIPE_OPTIONS, ...PARTS_OPTIONS, ...QUESTION_OPTIONS },
  };
  const given = (...args: string[]) => {
    const { values, lists } = parseOptions(spec, args);
    return { parts: partsOptions(values, lists), overrides: overridesOf(values, lists) };
  };

  test('a corpus is searched alone unless the web is asked for', () => {
    const { parts, overrides } = given('--corpus', rivers, '--corpus', towns, '--method', 'hybrid');
    expect(parts.corpus).toEqual({
      files: [rivers, towns],
      method: 'hybrid',
      encoder: undefined,
    });
    const settings = withOverrides(getRecipe('kunlun-baize').settings, overrides);
    const { retrieval, background } = settings;
    expect([retrieval.source, background.source]).toEqual(['local', 'local']);
    // Neither the policy's tag nor the background's own source leads to the world's web.
    expect(sourcesInUse(settings)).toEqual(['local']);
    expect(given('--corpus', rivers, '--source', 'local').overrides).toEqual(overrides);
    const shown = given('--corpus', rivers, '--background', 'shown').overrides.background;
    expect(shown).toEqual({ source: 'local', mode: 'shown' });
    expect(given('--corpus', rivers, '--source', 'both').overrides.retrieval).toEqual({
      source: 'both',
    });
    expect(given('--source', 'local').overrides).toEqual({ retrieval: { source: 'local' } });
    expect(given().overrides).toEqual({});
  });

  test('ways to search need a corpus', () => {
    expect(() => given('--method', 'flat')).toThrow('--method needs --corpus FILE');
    expect(() => given('--encoder', 'x')).toThrow('--encoder needs --corpus FILE');
  });
});
