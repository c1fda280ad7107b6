import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../../../../src/lab/contract/settings.ts';
import { formatAddress, parseAddress, placeOf } from '../../../../src/ui/ask/store/permalink.ts';

const parsed = (search: string) => parseAddress(search).address;

describe('an address that somebody kept', () => {
  it('without a setup works with what is built in', () => {
    const { address, problems } = parseAddress(
      '?q=test-2&recipe=kunlun-baize&n=4&t=0.7&seed=9&device=wasm&rdra=shown&stie=corrected&nlr=both&reward=measured&k=5&delay=250&run=1',
    );
    expect(problems).toEqual([]);
    expect(address).toEqual({
      of: null,
      asked: { kind: 'world', id: 'test-2' },
      settings: {
        recipe: 'kunlun-baize',
        rollouts: 4,
        temperature: 0.7,
        seed: 9,
        device: 'wasm',
        mechanisms: {
          background: 'shown',
          stie: 'corrected',
          router: 'both',
          reward: 'measured',
          k: 5,
          webDelayMs: 250,
        },
      },
      setup: {},
      run: true,
      rollout: 0,
      step: null,
    });
  });

  it.each<[string, string, object]>([
    ['fields that nobody knows', '?q=a&utm_source=mail&x=', { asked: { kind: 'world', id: 'a' } }],
    ['both kinds of question: the listed one', '?q=a&ask=b', { asked: { kind: 'world', id: 'a' } }],
    ['blanks around a question', '?ask=%20Who%3F%20', { asked: { kind: 'typed', text: 'Who?' } }],
    ['only blanks', '?ask=%20%20', { asked: null }],
    ['no id', '?q=', { asked: null }],
    ['a plus for a blank', '?ask=a+b', { asked: { kind: 'typed', text: 'a b' } }],
    ['broken percent signs', '?ask=%E0%A4%A', { asked: { kind: 'typed', text: '\uFFFD%A' } }],
    ['rollout and step 0, which are not there', '?rollout=0&step=0', { rollout: 0, step: null }],
    ['anything but 1 for "run"', '?q=a&run=yes', { run: false }],
  ])('reads %s', (_, search, wanted) => {
    expect(parseAddress(search).problems).toEqual([]);
    expect(parsed(search)).toMatchObject(wanted);
  });

  it.each([
    ['n', ['0', '17', '2.5', 'all', '', 'Infinity']],
    ['t', ['-0.1', '2.1', 'hot', 'NaN']],
    ['seed', ['-1', '4294967296', '1.5']],
    ['recipe', ['unknown', '']],
    ['device', ['gpu', 'AUTO']],
    ['k', ['0', '11']],
    ['delay', ['-1', '5001']],
    ['stie', ['on']],
    ['rollout', ['-1', 'last', '1.5']],
    ['step', ['-3', 'x']],
  ])('names what %s may not be and leaves it as it is by itself', (name, values) => {
    for (const value of values) {
      const search = `?${name}=${value}`;
      expect(parseAddress(search).problems, search).toEqual([`${name}=${value}`]);
      expect(parsed(search), search).toEqual(parsed(''));
    }
  });

  it.each([
    '?of=',
    '?of=run',
    '?of=run&at=1',
    '?of=run&at=x&group=g',
    '?of=run&at=1.5&group=g',
    '?of=run&at=1&group=',
  ])('names rollouts of a step that it cannot mean: %s', (search) => {
    const { address, problems } = parseAddress(search);
    expect(address.of).toBeNull();
    expect(problems).toHaveLength(1);
  });

  it.each(['?file=', '?file=f', '?file=f&id=', `?file=${'f'.repeat(301)}&id=r`])(
    'names a rollout of a file that it cannot mean: %s',
    (search) => {
      const { address, problems } = parseAddress(search);
      expect(address.of).toBeNull();
      expect(problems).toHaveLength(1);
    },
  );

  it('of a training step counts, where it names a file too', () => {
    expect(parsed('?of=r&at=1&group=g&file=f&id=x').of).toEqual({
      runId: 'r',
      step: 1,
      group: 'g',
    });
  });

  it.each([
    '',
    '1',
    '1-2',
    '0-2-draw',
    '1-0-draw',
    '-1-2-draw',
    '1.5-2-draw',
    '1-2-undo',
    '1-2-toString',
    '1-2-draw-more',
    '1-2-gold-x',
    '1-2-source',
    '1-2-source-both',
    '1-2-temperature',
    '1-2-temperature-hot',
    '1-2-temperature-2.1',
    '1-2-temperature--1',
    '1-2-temperature-Infinity',
    '1-2-policy',
    '1-2-policy-alone',
    '1-2-policy-run',
    '1-2-policy-run@x',
    '1000-2-draw',
    '1-100000-draw',
  ])('names the fork %j that it cannot mean, and leaves out those behind it', (fork) => {
    const { address, problems } = parseAddress(`?q=a&fork=2-3-draw&fork=${fork}&fork=1-1-gold`);
    expect(problems).toEqual([`fork=${fork}`]);
    expect(address.forks).toEqual([{ rollout: 1, event: 2, change: 'draw' }]);
  });

  it('makes no endless number of forks', () => {
    const { address, problems } = parseAddress(`?q=a${'&fork=1-1-draw'.repeat(40)}`);
    expect(address.forks).toHaveLength(16);
    expect(problems).toEqual(['fork=1-1-draw']);
  });

  it('keeps a question as it was typed, and cuts ids and faults', () => {
    const long = 'x'.repeat(9999);
    // What a user typed is never cut; a question that is too long is not run.
    expect(parsed(`?ask=${long}`).asked).toEqual({ kind: 'typed', text: long });
    expect(parsed(`?q=${long}`).asked).toEqual({ kind: 'world', id: 'x'.repeat(100) });
    expect(parseAddress(`?with=${long}`).problems).toEqual([`with=${'x'.repeat(100)}`]);
  });

  it('never fails for any text, and is stable: formatting it again gives the same', () => {
    const field = fc.tuple(
      fc.constantFrom(
        'q',
        'ask',
        'n',
        't',
        'seed',
        'step',
        'rollout',
        'with',
        'of',
        'at',
        'group',
        'k',
        'file',
        'id',
        'fork',
      ),
      fc.oneof(
        fc.string(),
        fc.integer().map(String),
        fc.constantFrom('1-2-draw', '3-1-source-web', '1-1-temperature-0.50', '1-2-policy-r-1@3'),
        fc.constant('{"judge":{"k":"webllm","n":"m"}}'),
      ),
    );
    fc.assert(
      fc.property(fc.array(field), (fields) => {
        const once = parsed(`?${new URLSearchParams(fields).toString()}`);
        const text = formatAddress(once);
        const again = parseAddress(text);
        expect(again.problems).toEqual([]);
        expect(formatAddress(again.address)).toBe(text);
      }),
    );
  });
});

describe('an address that is given away', () => {
  it('says recipe and seed even where they are the usual ones: those may be others one day', () => {
    const text = formatAddress({ ...parsed(''), asked: { kind: 'typed', text: 'Who & where?' } });
    expect(text).toBe(
      `?ask=Who+%26+where%3F&recipe=${DEFAULT_SETTINGS.recipe}&seed=${DEFAULT_SETTINGS.seed}`,
    );
  });
});

describe('the place that an address shows', () => {
  it('is another one for another question, not for other settings', () => {
    expect(placeOf(parsed('?q=a&n=3&step=2'))).toBe(placeOf(parsed('?q=a')));
    expect(placeOf(parsed('?q=a'))).not.toBe(placeOf(parsed('?q=b')));
    expect(placeOf(parsed('?ask=a'))).toBe(placeOf(parsed('?ask=b')));
    expect(placeOf(parsed(''))).toBe('');
    expect(placeOf(parsed('?of=r&at=1&group=g'))).not.toBe(placeOf(parsed('?of=r&at=1&group=h')));
  });
});
