import { describe, expect, it } from 'vitest';
import type { VerdictEvent } from '../../../../src/records/events.ts';
import type { Question } from '../../../../src/records/records.ts';
import type { Rollout } from '../../../../src/records/rollout.ts';
import { groupFigures } from '../../../../src/ui/ask/columns/group.ts';
import { GroupSummary } from '../../../../src/ui/ask/columns/GroupSummary.tsx';
import { interruptionOf, measuresOf } from '../../../../src/ui/ask/columns/measures.ts';
import { VerdictLine } from '../../../../src/ui/ask/columns/VerdictLine.tsx';
import { emptyRollout, metrics, policySegment, readSegment } from '../../../fixtures/rollouts.ts';
import { route, stop, verdict } from '../../kit/events/every-event.ts';
import { buttonsIn, htmlOf, textOf, valuesOf, wordsIn } from '../../kit/render.tsx';

const gold: Question = {
  id: 'q',
  text: 'Where?',
  answers: ['Borfield', 'Borf'],
  supporting: ['Old Wolf'],
};

const done = (rest: Partial<Rollout> = {}): Rollout => ({
  ...emptyRollout('r'),
  answer: 'Borfield',
  metrics: metrics({ em: 1, f1: 0.5, recall: 0.25, searches: 2, tokens: 1200, seconds: 2.5 }),
  ...rest,
});

const line = (rollout: Rollout, of: Question | null = gold): string =>
  textOf(<VerdictLine rollout={rollout} gold={of} more />);

const ended = (reason: 'cancelled' | 'error') => [{ ...stop, reason }];

describe('what a rollout came to', () => {
  it('is shown with gold, its scores and its costs', () => {
    const said = line(done());
    expect(said).toContain('✓ rightBorfieldgold: Borfield / Borf');
    for (const fact of [
      'EM 1',
      'F1 50.0 %',
      'recall 25.0 %',
      'searches 2',
      'tokens 1,200',
      'time 2.50 s',
      'format ✓ valid',
      'reward not computed',
    ])
      expect(said).toContain(fact);
  });

  it('has no recall where the question names no supporting titles', () => {
    expect(line(done(), { ...gold, supporting: [] })).toContain('recall –');
  });

  it('says how many tokens were read as mixtures, of one that thought so', () => {
    expect(line(done({ latent: { tokens: 21, gate: 0.99424 } }))).toContain('latent 21, a 0.9942');
    expect(line(done())).not.toContain('latent');
  });

  it.each<[string, Partial<Rollout>, string[], string[]]>([
    [
      'a wrong answer',
      { answer: 'Lund', metrics: metrics({ em: 0 }) },
      ['✗ wrong', 'Lund'],
      ['✓ right'],
    ],
    ['no answer', { answer: null, metrics: metrics({}) }, ['no answer', '✗ wrong'], []],
    [
      'a broken format',
      { metrics: metrics({ formatValid: false }) },
      ['format ✗ broken'],
      ['✓ valid'],
    ],
    [
      'one that was cancelled',
      { events: ended('cancelled') },
      ['⊘ cancelled, not scored'],
      ['EM 1', 'format'],
    ],
    [
      'one that an error ended',
      { events: ended('error') },
      ['⊘ ended by an error, not scored'],
      ['✓ right', '✗ wrong'],
    ],
    ['a judge', { judge: { by: 'llm', verdict: false } }, ['judge wrong'], []],
    [
      'a judge that cannot be read',
      { judge: { by: 'llm', verdict: null } },
      ['judge unreadable'],
      [],
    ],
  ])('%s is said as it is', (_, rest, there, absent) => {
    const said = line(done(rest));
    for (const words of there) expect(said).toContain(words);
    for (const words of absent) expect(said).not.toContain(words);
  });

  it('is not scored where no gold is known, and its measures are counted', () => {
    const typed = done({
      metrics: null,
      segments: [readSegment([1, 2, 3], 'question'), policySegment([4, 5])],
      events: [route, route, { ...stop, t: 3100 }],
    });
    const said = line(typed, null);
    expect(said).toContain('no reference answer');
    expect(said).not.toMatch(/✓ right|✗ wrong|F1|format/);
    for (const fact of ['searches 2', 'tokens 2', 'time 3.10 s']) expect(said).toContain(fact);
  });

  it('of a server counts pieces of text, since its tokens are not known', () => {
    const piece = { ...policySegment([1]), tokens: ['Bor'] };
    const html = htmlOf(<VerdictLine rollout={done({ segments: [piece] })} gold={gold} more />);
    expect(wordsIn(html)).toContain('pieces 1,200');
    expect(valuesOf(html, 'title').join()).toContain('its server does not report tokens');
  });

  it('in training has its reward by clause, and its advantage or why it has none', () => {
    const rewarded = done({
      rewards: [
        { clause: 'format', value: 1, weight: 0.1, evidence: [] },
        { clause: 'accuracy', value: 0.5, weight: 0.7, evidence: [] },
      ],
      reward: 0.45,
      baseline: 0.25,
      advantage: -1.5,
    });
    const html = htmlOf(<VerdictLine rollout={rewarded} gold={gold} more />);
    expect(wordsIn(html)).toContain('reward 0.45');
    expect(wordsIn(html)).toContain('advantage −1.50');
    expect(valuesOf(html, 'title')).toContain('format 0.1 × 1, accuracy 0.7 × 0.5');
    expect(valuesOf(html, 'title').join()).toContain('Reward minus 0.25');
    expect(line({ ...rewarded, advantage: null })).toContain('advantage left out');
  });
});

describe('prose in place of an answer', () => {
  const prose = done({
    answer: null,
    metrics: metrics({ em: 0, searches: 0 }),
    segments: [
      readSegment([1], 'question'),
      { ...policySegment([2], 'other'), text: 'He was born in Borfield, I think.' },
    ],
  });

  it('is shown whole, marked as outside the tags, with what helps', () => {
    const html = htmlOf(<VerdictLine rollout={prose} gold={gold} more={false} />);
    const said = wordsIn(html);
    expect(said).toContain('✗ wrongno answer');
    expect(said).toContain('outside the tags He was born in Borfield, I think.');
    expect(said).toContain('train with a cold start');
    expect(valuesOf(html, 'href')).toContain('/train');
    expect(line(done())).not.toContain('outside the tags');
  });
});

it('has three numbers in its line: right or wrong, searches and time; the rest comes when it is wanted', () => {
  const html = htmlOf(<VerdictLine rollout={done()} gold={gold} more={false} />);
  expect(wordsIn(html)).toContain('searches 2time 2.50 s');
  expect(wordsIn(html)).not.toMatch(/EM|F1|recall|tokens|format|reward/);
  expect(line(done())).toContain('F1 50.0 %');
});

describe('what cut a rollout short', () => {
  it('is reported only for interruptions from outside, at the end', () => {
    expect(interruptionOf({ events: ended('cancelled') })).toBe('cancelled');
    expect(interruptionOf({ events: [stop] })).toBeNull();
    expect(interruptionOf({ events: [] })).toBeNull();
    expect(interruptionOf({ events: [...ended('error'), route] })).toBeNull();
  });

  it('leaves its measures as the record has them', () => {
    expect(measuresOf(emptyRollout('a'))).toEqual({ searches: 0, tokens: 0, seconds: 0 });
    expect(measuresOf(done())).toMatchObject({ searches: 2, tokens: 1200, seconds: 2.5 });
  });
});

describe('a group of rollouts', () => {
  const wrong = done({
    answer: 'Lund',
    metrics: metrics({ em: 0, f1: 0, tokens: 800, searches: 1 }),
  });
  const group = [done(), wrong, wrong, done({ events: ended('cancelled'), answer: null })];

  it('has means over those that ended by themselves, and answers by how often they were given', () => {
    expect(groupFigures(group)).toMatchObject({
      ended: 4,
      interrupted: 1,
      em: 1 / 3,
      formatValid: 1,
      answers: [
        { text: 'Lund', count: 2 },
        { text: 'Borfield', count: 1 },
      ],
    });
    const said = textOf(<GroupSummary ended={group} size={6} more />);
    expect(said).toContain('group, 4 of 6 ended, 1 interrupted and not counted');
    for (const fact of ['right 33.3 %', 'mean F1 16.7 %', 'tokens 933', 'Lund ×2', 'Borfield ×1'])
      expect(said).toContain(fact);
  });

  it('shows the four answers that were given most', () => {
    const many = 'abcdef'.split('').map((answer) => done({ answer }));
    const said = textOf(<GroupSummary ended={[...many, done({ answer: null })]} size={7} more />);
    expect(said).toContain('a ×1b ×1c ×1d ×1and 3 more');
  });

  it('says nothing where nothing ended by itself, and no score where none is known', () => {
    expect(textOf(<GroupSummary ended={[]} size={2} more />)).toBe('');
    expect(textOf(<GroupSummary ended={[done({ events: ended('error') })]} size={2} more />)).toBe(
      '',
    );
    const typed = textOf(<GroupSummary ended={[done({ metrics: null })]} size={1} more />);
    expect(typed).toContain('searches 0');
    expect(typed).not.toContain('right');
  });
});

it('says in plain words what STIE did, and explains its terms', () => {
  const { segment: _, ...rest } = verdict;
  const refused: VerdictEvent = { ...rest, over: 'query', action: 'refused', blocked: [] };
  const html = htmlOf(<VerdictLine rollout={done({ events: [refused] })} gold={gold} more />);
  const said = wordsIn(html.slice(html.indexOf('stie-counts')));
  expect(said).toMatch(/STIE checked 1 query: 0 allowed, 1 refused as a repeat\.$/);
  expect(said).not.toMatch(/lag|exempt|\(\d+\)|×/);
  const opens = buttonsIn(html).map(({ name }) => name);
  expect(opens).toContain('STIE');
  expect(opens).toContain('repeat');
});
