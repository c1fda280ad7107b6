import { beforeAll, describe, expect, it } from 'vitest';
import {
  tokenTable,
  type TokenTable,
} from '../../../../../src/evaluate/rollouts/reading/token-table.ts';
import type { ImportedRollout } from '../../../../../src/formats/rollouts/shape/imported.ts';
import type { Palette } from '../../../../../src/ui/kit/tokens/palette.ts';
import {
  MOST_DRAWN,
  tokenPicture,
  type TokenPictureOptions,
} from '../../../../../src/ui/rollouts/reader/tokens/token-picture.ts';
import { styleOfCell } from '../../../../../src/ui/rollouts/reader/tokens/token-style.ts';
import { UNKNOWN } from '../../../../../src/ui/kit/tokens/paint-cells.ts';
import { loggingBoard, r1Searcher } from '../../../../fixtures/inspect/records.ts';
import { importOne, ownLines, rolloutsOf } from '../../../../formats/rollouts/helpers.ts';

const palette: Palette = {
  prompt: '#111',
  policy: '#222',
  environment: '#333',
  hint: '#444',
  hatch: '#555',
  mark: '#666',
  gain: '#777',
  loss: '#888',
  idle: '#999',
};

const options = (
  rollout: ImportedRollout,
  rest: Partial<TokenPictureOptions> = {},
): TokenPictureOptions => {
  const table = tokenTable(rollout);
  return {
    table,
    segments: rollout.segments,
    by: 'writer',
    range: { from: 0, to: table.count - 1 },
    palette,
    ink: '#000',
    paper: '#fff',
    title: 'Tokens',
    ...rest,
  };
};

interface Box {
  x: number;
  y: number;
  width: number;
  text: string;
}

const attribute = (tag: string, name: string): number =>
  Number(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1]);

/** The tokens of a picture with their places, without the title. */
const tokensIn = (svg: string): Box[] =>
  [...svg.matchAll(/<text([^>]*textLength[^>]*)>([^<]*)<\/text>/g)].map(
    ([, tag = '', text = '']) => ({
      x: attribute(tag, 'x'),
      y: attribute(tag, 'y'),
      width: attribute(tag, 'textLength'),
      text,
    }),
  );

/** What the key of a picture says. */
const keyWords = (svg: string): string[] => {
  const [, key = ''] = svg.split('<g id="key">');
  return [...key.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text = '']) => text);
};

/** Places at which a picture is wrong, as text. */
const faultsOf = (svg: string, width: number, height: number): string[] =>
  tokensIn(svg).flatMap((box, i, all) => {
    const before = all[i - 1];
    const follows =
      !before ||
      (box.y === before.y ? box.x >= before.x + before.width - 0.2 : box.y >= before.y + 16);
    const inside = box.x >= 0 && box.x + box.width <= width && box.y >= 14 && box.y + 4 <= height;
    return follows && inside ? [] : [`token ${i} “${box.text}”`];
  });

let own: ImportedRollout[] = [];
let foreign: ImportedRollout[] = [];
let table: TokenTable;
beforeAll(async () => {
  own = await rolloutsOf(new Blob([ownLines().slice(0, 2).join('\n')]));
  foreign = await Promise.all([importOne(loggingBoard), importOne(r1Searcher)]);
  table = tokenTable(foreign[0]!);
});

describe('the picture of tokens', () => {
  it('has every token of real rollouts and of other systems’ at its place, none on another', () => {
    for (const rollout of [...own, ...foreign])
      for (const by of ['writer', 'mask', 'logprob'] as const) {
        const asked = options(rollout, { by });
        const { svg, width, height } = tokenPicture(asked);
        expect(tokensIn(svg)).toHaveLength(asked.table.count);
        expect(faultsOf(svg, width, height)).toEqual([]);
        expect(svg).not.toMatch(/NaN|undefined/);
      }
  });

  it('begins a line with each segment and after the end of a line', () => {
    const segments = [
      { source: 'policy', role: 'think', text: '', tokens: ['one', ' two\n', 'three'] },
      { source: 'environment', role: 'result', text: '', tokens: ['four'] },
    ] as const;
    const rollout = {
      ...foreign[0]!,
      segments: segments.map((one) => ({ ...one, tokens: [...one.tokens] })),
    };
    const [one, two, three, four] = tokensIn(tokenPicture(options(rollout)).svg);
    expect([one?.text, two?.text, three?.text, four?.text]).toEqual([
      'one',
      ' two⏎',
      'three',
      'four',
    ]);
    expect([two?.y === one?.y, three?.x === one?.x, four?.x === one?.x]).toEqual([
      true,
      true,
      true,
    ]);
    expect((three?.y ?? 0) - (two?.y ?? 0)).toBe((four?.y ?? 0) - (three?.y ?? 0));
  });

  it('holds only the requested tokens, and no more than are readable', () => {
    const part = options(foreign[0]!, { range: { from: 2, to: 4 } });
    expect(tokensIn(tokenPicture(part).svg).map(({ text }) => text)).toHaveLength(3);
    const tokens = Array.from({ length: MOST_DRAWN + 50 }, () => 'a');
    const long = {
      ...foreign[0]!,
      segments: [{ source: 'policy', role: 'think', text: '', tokens }],
    };
    const { svg, width, height } = tokenPicture(options(long as ImportedRollout));
    expect(tokensIn(svg)).toHaveLength(MOST_DRAWN);
    expect(faultsOf(svg, width, height)).toEqual([]);
  });

  it('is as strong as the number, and has a line where the number has a sign', () => {
    const tokenRewards = [-1, 0, 0.5, 1];
    const tokens = ['a', 'b', 'c', 'd'];
    const rollout = {
      ...foreign[0]!,
      segments: [{ source: 'policy', role: 'think', text: '', tokens, tokenRewards }],
    } as ImportedRollout;
    const { svg } = tokenPicture(options(rollout, { by: 'tokenReward' }));
    const [, tokensAlone = '', key = ''] = /^(.*)<g id="key">(.*)$/s.exec(svg) ?? [];
    const rects = [...tokensAlone.matchAll(/<rect x=([^>]*)>/g)].map(([tag]) => tag);
    const opacity = (colour: string) =>
      rects.filter((tag) => tag.includes(colour)).map((tag) => attribute(tag, 'fill-opacity'));
    const [half = 0, whole = 0] = opacity(palette.gain).filter((one) => !Number.isNaN(one));
    expect(half).toBeLessThan(whole);
    // A line above what is below the middle, below what is above it.
    const [text] = tokensIn(svg);
    const lines = rects.filter((tag) => attribute(tag, 'height') === 2);
    const above = (tag: string) => attribute(tag, 'y') < (text?.y ?? 0);
    expect(lines.map((tag) => [above(tag), tag.includes(palette.loss)])).toEqual([
      [true, true],
      [false, false],
      [false, false],
    ]);
    // The key has the ends of the scale as the tokens there have them, and says what no sign means.
    expect(keyWords(svg)).toEqual([
      'line below: 0 to 1',
      'line above: 0 to −1',
      'no background: 0',
    ]);
    expect(attribute(key, 'fill-opacity')).toBe(whole);
  });

  it('has a key of what its tokens show, and says which of all they are', () => {
    const segments = [
      { source: 'prompt', role: 'prompt', text: '', tokens: ['q'], mask: 0 },
      {
        source: 'policy',
        role: 'think',
        text: '',
        tokens: ['a', 'b'],
        mask: 1,
        logprobs: [-0.1, -2],
      },
    ];
    const rollout = { ...foreign[0]!, segments } as unknown as ImportedRollout;
    const keyed = (rest: Partial<TokenPictureOptions>) =>
      keyWords(tokenPicture(options(rollout, rest)).svg);
    expect(keyed({ by: 'writer' })).toEqual(['prompt', 'model']);
    expect(keyed({ by: 'writer', range: { from: 1, to: 2 } })).toEqual([
      'model',
      'tokens 1 to 2, from 0, of 3',
    ]);
    expect(keyed({ by: 'mask' })).toEqual(['trained', 'mask 0']);
    // A masked token is distinguished from one of which nothing is said.
    expect(
      tokenPicture(options(rollout, { by: 'mask' })).svg.match(/url\(#masked\)/g),
    ).toHaveLength(2);
    expect(keyed({ by: 'logprob' })).toEqual([
      '0, likely',
      '−0.1',
      '−1',
      '−3',
      '−10',
      'nat, log scale',
      'no background: no number',
    ]);
    for (const by of ['writer', 'mask', 'logprob'] as const) {
      const { svg, height } = tokenPicture(options(rollout, { by }));
      const lowest = Math.max(...[...svg.matchAll(/ y="(\d+)"/g)].map(([, y]) => Number(y)));
      expect(lowest).toBeLessThan(height - 4);
    }
  });

  it('is well-formed whatever the tokens and the title say', () => {
    const tokens = ['<script>', '"&amp;"', '\u0000', '\uD800', '\u202E'];
    const rollout = {
      ...foreign[0]!,
      segments: [{ source: 'policy', role: 'think', text: '', tokens }],
    };
    const { svg } = tokenPicture(options(rollout as ImportedRollout, { title: '<b>&</b>' }));
    expect(svg).toContain('>&lt;b&gt;&amp;&lt;/b&gt;</text>');
    expect(tokensIn(svg).map(({ text }) => text)).toEqual([
      '&lt;script&gt;',
      '&quot;&amp;amp;&quot;',
      '⟨U+0000⟩',
      '�',
      '⟨U+202E⟩',
    ]);
  });

  it('says its size where it is opened by itself', () => {
    const { svg, width, height } = tokenPicture(options(foreign[0]!, { table }));
    expect(svg).toContain(`width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`);
    expect(svg).toContain(`fill="#fff"`);
  });
});

describe('the background of a token', () => {
  const cell = { ...UNKNOWN, colour: 'gain' as const, strength: 1 };

  it('tells a sign by more than its colour, and a masked token by hatching', () => {
    expect(styleOfCell(cell, false).className).toBe('tk tk-gain up');
    expect(styleOfCell({ ...cell, colour: 'loss' }, false).className).toBe('tk tk-loss down');
    expect(styleOfCell({ ...cell, colour: 'policy', hatched: true }, false).className).toBe(
      'tk tk-policy masked',
    );
    expect(styleOfCell({ ...cell, colour: 'policy', hatched: true }, true).className).toBe(
      'tk tk-policy',
    );
  });

  it('never hides the text, and has no colour where nothing is known', () => {
    expect(styleOfCell(cell, false).share).toBe(0.5);
    expect(styleOfCell({ ...cell, strength: 0.3 }, false).share).toBeCloseTo(0.15);
    expect(styleOfCell({ ...cell, strength: 0.3 }, true).share).toBe(0.25);
    expect(styleOfCell(UNKNOWN, false).share).toBe(0);
  });
});
