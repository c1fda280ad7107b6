import { beforeEach, describe, expect, it } from 'vitest';
import { getRecipe } from '../../../../src/systems/index.ts';
import type { PolicyInfo } from '../../../../src/policy/policy.ts';
import type { Rollout } from '../../../../src/records/rollout.ts';
import { DetailsPanel } from '../../../../src/ui/ask/DetailsPanel.tsx';
import { tableOf } from '../../../../src/ui/ask/store/training-step.ts';
import { useAsk, type Selection } from '../../../../src/ui/ask/store/ask-store.ts';
import {
  emptyRollout,
  hit,
  passage,
  policySegment,
  readSegment,
  retrieve,
} from '../../../fixtures/rollouts.ts';
import { think } from '../../kit/events/every-event.ts';
import { buttonsIn, htmlOf, valuesOf, wordsIn } from '../../kit/render.tsx';
import { useSession } from '../../../../src/ui/kit/session-store.ts';

const found = {
  ...hit({ ...passage('p1', 'Kerlund', 'Born in Borfield.'), noise: 'stale' as const }),
  denseRank: 4,
  similarity: 0.25,
};

const rollout: Rollout = {
  ...emptyRollout('r'),
  seed: 77,
  segments: [readSegment([5], 'question'), policySegment([1, 2])],
  events: [{ ...think, t: 1500, segment: 1 }, retrieve([found])],
};

/** The loaded policy, and the texts of its tokens. */
const knowing = (policy: string | null, pieces: Record<number, string>): void =>
  useSession.setState({ policy: policy === null ? null : ({ id: policy } as PolicyInfo), pieces });

const show = (selection: Selection | null): string => {
  useAsk.setState({ selection });
  return htmlOf(<DetailsPanel />, useAsk, useSession);
};

const of = { rolloutId: 'r' } as const;

beforeEach(() => {
  useAsk.setState({ ...useAsk.getInitialState(), table: tableOf([rollout]) }, true);
  knowing(null, {});
});

describe('the details', () => {
  it('show the first round while nothing is selected, so that they are never empty', () => {
    const said = wordsIn(show(null));
    expect(said).toContain('Round 1');
    expect(said).toContain('I look for him.');
    expect(said).toContain('Born in Borfield.');
    // Of a rollout that is not on the screen any more there is nothing to show.
    expect(wordsIn(show({ ...of, rolloutId: 'gone', kind: 'event', event: 0 }))).toContain(
      'The first round is shown here as soon as it begins.',
    );
  });

  it('mark gold and the answer only after the result was shown', () => {
    const answered = { ...rollout, answer: 'Borfield' };
    const marks = (finished: boolean, replay: number | null): number => {
      const ended: Record<string, true> = finished ? { r: true } : {};
      const table = { ...tableOf([answered]), finished: ended };
      useAsk.setState({ table });
      useAsk.setState({ replay });
      return show(null).split('<mark>').length - 1;
    };
    expect(marks(false, null)).toBe(0);
    expect(marks(true, 1)).toBe(0);
    expect(marks(true, 2)).toBe(1);
    expect(marks(true, null)).toBe(1);
  });

  it('can be pinned and closed', () => {
    const names = buttonsIn(show(null)).map(({ name }) => name);
    expect(names.slice(0, 2)).toEqual(['pin', 'Close the details']);
    useAsk.setState({ pinned: true });
    const html = show(null);
    expect(buttonsIn(html)[0]?.name).toBe('pinned');
    expect(valuesOf(html, 'aria-pressed')).toEqual(['true']);
  });

  it('of an event say when it was, what it is, its tokens and its record', () => {
    const html = show({ ...of, kind: 'event', event: 0 });
    const said = wordsIn(html);
    expect(said).toContain('rollout, seed 77');
    expect(said).toContain('event 1 of 2, 1.50 s after the start');
    expect(said).toContain('think, 2 tokens, ');
    expect(said).toContain('"kind": "think"');
    expect(buttonsIn(html).map(({ name }) => name)).toContain('copy record');
  });

  it('of a passage say every rank and score that is known', () => {
    const said = wordsIn(show({ ...of, kind: 'passage', event: 1, hit: 0 }));
    expect(said).toContain('⚠ stale');
    expect(said).toContain('score 1 lexical rank not ranked there dense rank 4 cosine 0.25 id p1');
    // A place that is not there shows nothing, and does not fail.
    expect(wordsIn(show({ ...of, kind: 'passage', event: 0, hit: 0 }))).not.toContain(
      'lexical rank',
    );
    expect(wordsIn(show({ ...of, kind: 'passage', event: 1, hit: 9 }))).not.toContain(
      'lexical rank',
    );
    expect(wordsIn(show({ ...of, kind: 'event', event: 9 }))).not.toContain('after the start');
  });
});

describe('a token', () => {
  it('of the policy has its probability and entropy, by its id until its text is known', () => {
    const said = wordsIn(show({ ...of, kind: 'token', segment: 1, token: 0 }));
    expect(said).toContain('Token “#1”');
    expect(said).toContain('log-probability −1 probability 36.8 % entropy 0.5 nat');
    expect(said).toContain('loss mask 1, trained');
    knowing('test', { 1: ' Bor' });
    expect(wordsIn(show({ ...of, kind: 'token', segment: 1, token: 0 }))).toContain('Token “␣Bor”');
    // Another policy's texts are not this one's.
    knowing('other', { 1: ' Bor' });
    expect(wordsIn(show({ ...of, kind: 'token', segment: 1, token: 0 }))).toContain('Token “#1”');
  });

  it('that is a tag has the recipe’s name, and its own name is stated', () => {
    const asked = { id: 'ur2', version: '2', settings: { ...getRecipe('ur2').settings } };
    useAsk.setState({ table: tableOf([{ ...rollout, recipe: asked }]) });
    knowing('test', { 1: '<search>', 2: ' who' });
    const said = wordsIn(show({ ...of, kind: 'token', segment: 1, token: 0 }));
    expect(said).toContain('Token “<|begin_of_query|>”');
    expect(said).toContain('token of the model <search>, shown under its name');
    expect(wordsIn(show({ ...of, kind: 'token', segment: 1, token: 1 }))).toContain(
      '<|begin_of_query|>␣who',
    );
    // The recipe whose protocol it is calls it as the policy does.
    useAsk.setState({ table: tableOf([rollout]) });
    expect(wordsIn(show({ ...of, kind: 'token', segment: 1, token: 0 }))).toContain(
      'Token “<search>”',
    );
  });

  it('that was only read has none, and is never trained', () => {
    const said = wordsIn(show({ ...of, kind: 'token', segment: 0, token: 0 }));
    expect(said).toContain(
      'log-probability none: the model read it, but did not write it probability none',
    );
    expect(said).toContain('loss mask 0, not trained');
    expect(said).toContain('masked');
  });

  it('of a server is a piece of text, with what its numbers are of', () => {
    const { logprobs: _, entropies: __, ...bare } = policySegment([9]);
    const served = { ...rollout, segments: [{ ...bare, tokens: ['Bor\n'] }] };
    useAsk.setState({ table: tableOf([served]) });
    const said = wordsIn(show({ ...of, kind: 'token', segment: 0, token: 0 }));
    expect(said).toContain('Piece “Bor⏎”');
    expect(said).toContain('log-probability not reported by the model');
    expect(said).toContain('1 piece, not tokens');
  });

  it('beyond those that are listed is counted', () => {
    const long = {
      ...rollout,
      segments: [policySegment(Array.from({ length: 700 }, (_, i) => i))],
    };
    useAsk.setState({ table: tableOf([long]) });
    const html = show({ ...of, kind: 'token', segment: 0, token: 0 });
    expect(wordsIn(html)).toContain('#599 and 100 more');
    expect(html.match(/class="token /g)).toHaveLength(600);
  });
});
