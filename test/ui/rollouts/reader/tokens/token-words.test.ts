import { describe, expect, it } from 'vitest';
import {
  TOKEN_COLUMNS,
  tokenTable,
} from '../../../../../src/evaluate/rollouts/reading/token-table.ts';
import {
  COLUMN_IDS,
  maskWords,
  tokenText,
  tokenWords,
} from '../../../../../src/ui/rollouts/reader/tokens/token-words.ts';
import { loggingBoard, verl } from '../../../../fixtures/inspect/records.ts';
import { importOne, ownLines, rolloutsOf } from '../../../../formats/rollouts/helpers.ts';

describe('the words of a token', () => {
  it('say who wrote it, whether it is trained, and every number that the file has', async () => {
    const rollout = await importOne(loggingBoard);
    const table = tokenTable(rollout);
    const at = table.texts.indexOf(' Ida');
    expect(tokenWords(table, rollout.segments, at)).toMatch(
      new RegExp(
        `^token ${at}: ␣Ida · model, answer · mask not in the file · log-probability −0\\.6 · ` +
          'reference log-probability −0\\.2 · ratio to the reference 0\\.67 · ' +
          'critic’s value 0\\.5 · reward of the token 0$',
      ),
    );
  });

  it('of a file without tokens are of its words', async () => {
    const rollout = await importOne(verl);
    const table = tokenTable(rollout);
    const at = table.texts.findIndex((text) => text?.includes('novel'));
    expect(tokenWords(table, rollout.segments, at)).toBe(
      `token ${at}: ␣novel · environment, result · mask not in the file`,
    );
  });

  it('of our own rollouts have ids and the policy’s numbers, and none for what it read', async () => {
    const [rollout] = await rolloutsOf(new Blob([ownLines()[0] ?? '']));
    if (!rollout) throw new Error('the file has rollouts');
    const table = tokenTable(rollout);
    const all = Array.from({ length: table.count }, (_, at) =>
      tokenWords(table, rollout.segments, at),
    );
    expect(all.join('\n')).not.toMatch(/NaN|undefined|null/);
    for (const words of all) {
      expect(words).toMatch(/^token \d+: #\d+ · /);
      expect(words.includes('log-probability')).toBe(words.includes(' · model, '));
      expect(words.includes('mask 1, trained')).toBe(words.includes(' · model, '));
    }
  });
});

it('a text is read as it is: blanks, ends of lines and hidden signs are seen', () => {
  const table = tokenTable({
    segments: [
      { source: 'policy', role: 'think', text: '', tokens: [' a', '\n', '\t', '', 'x\u202Ey'] },
      { source: 'policy', role: 'think', text: '', ids: [17] },
    ],
    advantage: null,
  } as unknown as Parameters<typeof tokenTable>[0]);
  expect(Array.from({ length: table.count }, (_, at) => tokenText(table, at))).toEqual([
    '␣a',
    '⏎',
    '⇥',
    '∅',
    'x⟨U+202E⟩y',
    '#17',
  ]);
});

it('shows the recipe’s name of a tag, and its token', () => {
  const segments = [
    { source: 'policy', role: 'search', text: '', tokens: ['<search>', ' who'], mask: 1 },
  ];
  const asked = { recipe: { settings: { dialect: 'ur2' } }, segments, advantage: null };
  const table = tokenTable(asked as unknown as Parameters<typeof tokenTable>[0]);
  const words = [0, 1].map((at) => tokenWords(table, [{ source: 'policy', role: 'search' }], at));
  expect(words[0]).toMatch(/^token 0: <\|begin_of_query\|> · the model’s token is <search> · /);
  expect(words[1]).toMatch(/^token 1: ␣who · model/);
});

it('gives a mask as text, also if the file has none', () => {
  expect([1, 0, -1].map(maskWords)).toEqual([
    '1, trained',
    '0, not in the loss',
    'not in the file',
  ]);
});

it('every column has a name of its own', () => {
  const names = COLUMN_IDS.map((id) => TOKEN_COLUMNS[id].name);
  expect(new Set(names).size).toBe(names.length);
});
