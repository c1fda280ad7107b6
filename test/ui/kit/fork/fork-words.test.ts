import { describe, expect, it } from 'vitest';
import { FORK_CHANGES, offerOf } from '../../../../src/agent/fork/changes.ts';
import { isOwnRollout } from '../../../../src/formats/rollouts/shape/imported.ts';
import {
  CHANGE_NAMES,
  CHANGE_SIGNS,
  changeWords,
  offerWords,
} from '../../../../src/ui/kit/fork-words.ts';
import { ownLines, rolloutsOf } from '../../../formats/rollouts/helpers.ts';

const own = async () =>
  (await rolloutsOf(new Blob([ownLines().slice(0, 4).join('\n')]))).filter(isOwnRollout);

describe('what a fork would do', () => {
  it('is possible at every event of the real rollouts, or says why not', async () => {
    const told = (await own()).flatMap((rollout) =>
      rollout.events.flatMap((_, at) =>
        FORK_CHANGES.map((change) => {
          const offer = offerOf(rollout, at, change);
          return { change, offer, words: offerWords(change, offer) };
        }),
      ),
    );
    expect(told.length).toBeGreaterThan(200);
    const wrong = told.filter(({ change, offer, words }) => {
      if (/undefined|null/.test(words) || words.length >= 200) return true;
      if (!offer.possible) return !/^not here: \w.*[^.]$/.test(words);
      return change === 'source' && !/^“.+” goes to the (?:web|local corpus)$/.test(words);
    });
    expect(wrong).toEqual([]);
    // What is chosen beside the button says it all.
    expect(told.find(({ change, offer }) => change === 'policy' && offer.possible)?.words).toBe('');
  });

  it('names the query, the passages or the refusal that it meets', () => {
    const at = { possible: true, event: 3 } as const;
    expect(offerWords('source', { ...at, source: 'web', what: 'who' })).toBe(
      '“who” goes to the web',
    );
    expect(offerWords('gold', { ...at, what: 'Ida Holm, Red Fog' })).toBe('Ida Holm, Red Fog');
    expect(offerWords('admit', { ...at, what: 'who' })).toBe('“who” is allowed');
    expect(offerWords('draw', at)).toBe('other random numbers from here on');
    expect(offerWords('gold', { possible: false, why: 'no search follows' })).toBe(
      'not here: no search follows',
    );
  });

  it('cuts a long query inside its quotes', () => {
    const words = offerWords('admit', { possible: true, event: 0, what: 'long '.repeat(100) });
    expect(words).toMatch(/^“long .{70,90} …” is allowed$/);
  });
});

describe('what a fork does otherwise', () => {
  it('is said behind “forked at event 5: ”', () => {
    expect([
      changeWords('source', { source: 'web' }),
      changeWords('source', { source: 'local' }),
      changeWords('source', {}),
      changeWords('gold', {}),
      changeWords('admit', {}),
      changeWords('draw', {}),
      changeWords('temperature', { temperature: 0 }),
      changeWords('policy', { adapter: 'mine, step 40' }),
      changeWords('policy', {}),
    ]).toEqual([
      'the search goes to the web',
      'the search goes to the local corpus',
      'another source',
      'with the gold passages',
      'without the refusal',
      'sampled again',
      'temperature 0',
      'with mine, step 40',
      'with another adapter',
    ]);
  });

  it('has a button and a sign of its own for every change', () => {
    const count = FORK_CHANGES.length;
    expect(new Set(FORK_CHANGES.map((change) => CHANGE_NAMES[change])).size).toBe(count);
    expect(new Set(FORK_CHANGES.map((change) => CHANGE_SIGNS[change])).size).toBe(count);
  });
});
