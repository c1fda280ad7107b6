import { describe, expect, it } from 'vitest';
import { detect } from '../../../../src/formats/import/readers/detect.ts';
import { importAll } from '../../../../src/formats/import/collect.ts';
import { blob } from '../../../fixtures/import/files.ts';

const found = async (text: string, name?: string): Promise<string> => {
  const { container, schema } = await detect(blob(text), name);
  return `${container} ${schema}`;
};
const QA = '{"question":"Who?","answer":"Ada"}';
const CONTENTS = '{"id":"1","contents":"One."}';
const many = (item: string, count: number): string[] => Array.from({ length: count }, () => item);

describe('JSON is what most of its first twenty items are', () => {
  const lists = {
    jsonl: (items: readonly string[]) => items.join('\n'),
    'json-array': (items: readonly string[]) => `[${items.join(',\n')}]`,
  };
  it.each(Object.entries(lists))('%s', async (container, list) => {
    const is = (...items: string[][]) => found(list(items.flat()));
    expect(await is([QA], many(CONTENTS, 2))).toBe(`${container} contents`);
    expect(await is(many(QA, 2), [CONTENTS])).toBe(`${container} qa`);
    expect(await is([CONTENTS], many(QA, 2))).toBe(`${container} qa`);
    // The first of two that are as many; what comes twenty-first does not count.
    expect(await is(many(QA, 10), many(CONTENTS, 11))).toBe(`${container} qa`);
    expect(await is(many(CONTENTS, 10), many(QA, 11))).toBe(`${container} contents`);
    expect(await is(many(QA, 9), many(CONTENTS, 10), [QA])).toBe(`${container} qa`);
  });

  it('lines that are no JSON do not count', async () => {
    expect(await found(`{broken\n7\nnull\n${QA}`)).toBe('jsonl qa');
  });

  it('titles with their sentences are one object, or one on each of several lines', async () => {
    const one = '{"Ada":["One."]}';
    expect(await found(one)).toBe('json-object title-sentences');
    expect(await found(`${one}\n`)).toBe('json-object title-sentences');
    expect(await found(`${one}\n${one}`)).toBe('jsonl title-sentences');
    expect(await found('{\n "Ada": [\n  "One."\n ]\n}')).toBe('json-object title-sentences');
  });

  it.each([
    ['[1, 2]', 'a list of', ''],
    ['{"a": 1}', 'lines of JSON with', ', or {title: [sentences]}'],
    // One passage over several lines is none of them.
    ['{\n"text": "One."\n}', 'lines of JSON with', ', or {title: [sentences]}'],
  ])('of other items is refused with what was expected: %j', async (text, as, or) => {
    await expect(detect(blob(text), 'a.txt.json')).rejects.toThrow(
      new RegExp(
        `^expected ${as} questions \\(\`question\` with \`answer\`, \`answers\`, \`golden_answers\` ` +
          `or \`reward_model\`\\) or passages \\(\`text\` or \`contents\`\\)${or.replace(/[[{]/g, '\\$&')}$`,
      ),
    );
  });
});

describe('a table is recognised by the names of its columns', () => {
  it.each([
    ['question,answer\nWho?,Ada', 'csv qa'],
    ['\n\n "Question" ,"Answers"\r\nWho?,Ada', 'text prose'],
    ['\n\nid, QUESTION , Answer\r\nWho?,Ada', 'csv qa'],
    ['id,"Question","Answers"\r\n1,Who?,Ada', 'csv qa'],
    ['question\tanswer', 'tsv qa'],
    ['question,answer\ttext', 'tsv passage'],
    ['title,text\nA,One.', 'csv passage'],
    // Words with a comma between them.
    ['text\nOne.', 'text prose'],
    ['First, second\nthird', 'text prose'],
    ['"question,answer\nWho?', 'text prose'],
  ])('%j', async (text, format) => expect(await found(text)).toBe(format));
});

describe('running text is Markdown by its name, else by its headings', () => {
  it.each([
    ['One.', '', 'text'],
    ['# One', '', 'markdown'],
    ['One.\n###### Six\nTwo.', '', 'markdown'],
    ['####### Seven', '', 'text'],
    ['#One', '', 'text'],
    ['# \nOne', '', 'text'],
    ['One # two', '', 'text'],
    ['# One', 'a.TXT', 'text'],
    ['# One', 'a.txt.log', 'markdown'],
    ['One.', 'a.MD', 'markdown'],
    ['One.', 'a.markdown', 'markdown'],
    ['One.', 'a.md.log', 'text'],
    ['[One] and {two}', 'a.txt', 'text'],
    ['[One] and {two}', 'A.Markdown', 'markdown'],
    ['{One} and [two]', 'a.md', 'markdown'],
  ])('%j in %j is %s', async (text, name, container) =>
    expect(await found(text, name)).toBe(`${container} prose`),
  );

  it('within its first 65,536 characters', async () => {
    const heading = (at: number): string => `${'x'.repeat(at - 1)}\n# T`;
    expect(await found(heading(2 ** 16 - 3))).toBe('markdown prose');
    expect(await found(heading(2 ** 16 - 2))).toBe('text prose');
  });
});

it('a file is looked at up to its first mebibyte', async () => {
  const zeroAt = (at: number): Promise<string> => found(`${'x'.repeat(at)}\0`);
  expect(await zeroAt(2 ** 20)).toBe('text prose');
  await expect(zeroAt(2 ** 20 - 1)).rejects.toThrow(
    'expected UTF-8 text or parquet, found other bytes',
  );
});

it.each([
  ['x.csv', 'x'],
  ['notes/my file.txt', 'my file'],
  ['C:\\docs\\Ada.MARKDOWN', 'Ada'],
  ['v1.2', 'v1.2'],
  ['a.b', 'a.b'],
  ['Dr. Who.text', 'Dr. Who'],
  ['a.toolongend', 'a.toolongend'],
  [undefined, ''],
])('running text in %j has the title %j', async (name, title) => {
  const { passages } = await importAll(blob('One.'), { name });
  expect(passages[0]?.passage.title).toBe(title);
});
