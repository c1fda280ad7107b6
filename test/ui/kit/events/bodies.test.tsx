import { describe, expect, it } from 'vitest';
import type { AgentEvent, RetrieveEvent } from '../../../../src/records/events.ts';
import type { Question } from '../../../../src/records/records.ts';
import { EventBody } from '../../../../src/ui/kit/events/EventBody.tsx';
import {
  findSpans,
  firstSeen,
  markSentences,
} from '../../../../src/ui/kit/events/parts/support.ts';
import { emptyRollout, hit, passage, retrieve, search } from '../../../fixtures/rollouts.ts';
import { buttonsIn, htmlOf, rowsIn, valuesOf, wordsIn } from '../render.tsx';
import {
  answer,
  background,
  candidates,
  fault,
  route,
  stop,
  summary,
  think,
  verdict,
} from './every-event.ts';

const gold: Question = {
  id: 'q',
  text: 'Where?',
  answers: ['Borfield'],
  supporting: ['Victor Kerlund'],
};

/** The opened body of the event at `index`. */
const body = (events: AgentEvent[], index = 0, settings: Record<string, unknown> = {}): string => {
  const event = events[index];
  if (!event) throw new Error('no such event');
  const rollout = { ...emptyRollout('r'), events, answer: 'Lund' };
  return htmlOf(
    <EventBody
      rollout={{ ...rollout, recipe: { ...rollout.recipe, settings } }}
      index={index}
      event={event}
      gold={gold}
      firstSeen={firstSeen(events)}
      onEvent={() => undefined}
      onPassage={() => undefined}
    />,
  );
};

const words = (event: AgentEvent): string => wordsIn(body([event]));

describe('passages', () => {
  const kerlund = passage('p1', 'Victor Kerlund', 'He was born in Borfield.', 'He likes Lund.');
  const call: RetrieveEvent = {
    ...retrieve([
      { ...hit(kerlund), lexicalRank: 2, denseRank: 5, similarity: 0.5 },
      hit({ ...passage('p2', 'Borfield', 'Borfield is old.'), noise: 'stale' }),
    ]),
    addedDelayMs: 2,
    requests: 1,
    bytes: 1500,
    newSupporting: ['Victor Kerlund'],
    duplicates: ['p2'],
    newEntities: 1,
  };

  it('are shown with their call: time, size, and new passages', () => {
    expect(words(call)).toContain(
      '“who” asked of local: 3.0 ms (2.0 ms added) · 1 request · 1.5 kB · 1 new supporting title · 1 passage seen before · 1 new entity',
    );
    expect(words({ ...call, newSupporting: null })).toContain('supporting titles unknown');
  });

  it('say what supports, what is noise, and at which ranks they were', () => {
    const html = body([call]);
    expect(wordsIn(html)).toContain('✓ gold title');
    expect(wordsIn(html)).toContain('⚠ stale');
    expect(wordsIn(html)).toContain('lexical #2 · dense #5 · cos 0.5');
    // The answer in a supporting passage is support; the policy's own answer is marked and is none.
    expect(html).toContain('supporting sentence: </span>He was born in <mark>Borfield</mark>.');
    expect(html).toContain('<span class="sentence">He likes <mark>Lund</mark>.');
  });

  it('that came before lead back to where', () => {
    const events = [{ ...background, hits: [hit(kerlund)] }, search(2), call, search(3), call];
    const names = (index: number) => buttonsIn(body(events, index)).map(({ name }) => name);
    expect(names(0)).toEqual(['D0', 'Victor Kerlund']);
    expect(names(2)).toEqual(['Victor Kerlund', 'seen in the background', 'Borfield']);
    expect(names(4)).toEqual([
      'Victor Kerlund',
      'seen in the background',
      'Borfield',
      'seen in search 1',
    ]);
  });

  it('that were not found are said not to be', () => {
    expect(words(retrieve([]))).toContain(
      'Nothing was found; the model received a note that says so.',
    );
  });

  it('are marked at their place behind letters that are longer in lower case', () => {
    // 'İ' has two characters in lower case.
    expect(findSpans('İİ Borfield', 'borfield')).toEqual([[3, 11]]);
    expect(findSpans('Straße 7 (C++)', 'c++')).toEqual([[10, 13]]);
    expect(findSpans('aba aba aba', 'aba aba')).toEqual([
      [0, 7],
      [4, 11],
    ]);
    expect(findSpans('𝒳a 𝒳', '𝒳')).toEqual([[4, 6]]);
    const [sentence] = markSentences(
      passage('p', 'T', 'İİ aba aba aba'),
      { ...gold, answers: ['aba aba'] },
      null,
    );
    expect(sentence?.spans).toEqual([[3, 14]]);
  });
});

describe('the background', () => {
  it('says how near it is to the question, as far as that is known', () => {
    expect(words(background)).toContain(
      'D0, mode shown. Mean similarity to the question not available with lexical search, shared terms 25.0 %, 50.0 % of the supporting titles.',
    );
    const relevance = { meanSimilarity: 0.625, termOverlap: 0, supportingRecall: null };
    expect(words({ ...background, relevance })).toContain(
      'Mean similarity to the question 0.625, shared terms 0.0 %, supporting titles unknown.',
    );
  });
});

describe('a route', () => {
  const call = { ...retrieve([]), latencyMs: 20, newSupporting: ['T'] };

  it('shows both odds, what moved the choice most first, and folds the rest away', () => {
    const html = body([route, call]);
    expect(wordsIn(html)).toContain('local 25.0 %');
    expect(wordsIn(html)).toContain(
      'Sampled from the router: web. The call took 20 ms and brought 1 new supporting title.',
    );
    expect(rowsIn(html).filter(([name]) => name !== 'feature of the state')).toEqual([
      ['length', '7', '', '+1.25'],
      ['names', '2', '', '−0.50'],
      ['digits', '0', '', '+0.001'],
    ]);
    expect(wordsIn(html)).toContain('1 feature played no part');
    expect(wordsIn(html)).toContain('Reward: not computed');
  });

  it('does not show odds where nothing was drawn', () => {
    const fixed = wordsIn(body([{ ...route, by: 'fixed' }, call]));
    expect(fixed).toContain('Fixed, not sampled');
    expect(fixed).not.toContain('%');
    expect(wordsIn(body([{ ...route, by: 'fixed', choice: 'both' }, call]))).toContain(
      'Both sources are searched and their lists fused, so there are no probabilities and no reward. The call took 20 ms',
    );
  });

  it('knows its own call from that of a later round', () => {
    expect(wordsIn(body([route, search(2), call]))).toContain('The call has not returned.');
    const slow = { ...call, addedDelayMs: 5, newSupporting: null };
    expect(wordsIn(body([route, slow]))).toContain('The call took 20 ms, 5.0 ms added.');
  });

  it('says which reading of the reward was computed', () => {
    const reward = {
      mode: 'paper',
      beta1: 0.5,
      beta2: 0.4,
      efficiency: 0.42,
      information: 0,
      total: 0.21,
    } as const;
    const shown = words({ ...route, reward });
    expect(shown).toContain('R_eff 0.42');
    expect(shown).toContain('R(a) 0.21');
    expect(shown).toContain('Router reward (paper); used in training only');
    expect(shown).not.toContain('not computed');
  });
});

describe('a verdict of STIE', () => {
  it('shows every comparison with its threshold, and who is blocked', () => {
    const html = body([verdict], 0, { stie: { maxCount: 3 } });
    const said = wordsIn(html);
    expect(said).toContain('Answer “Borfield” → replaced by “Lund”');
    expect(said).toContain('✗ differs 0.25 from the last answer, needs 0.50');
    expect(said).toContain('✓ differs 1.00 from the second last answer, needs 0.30');
    expect(said).toContain('AggDiff 0.25: too similar to earlier ones, replaced (corrected STIE)');
    expect(said).toContain('How often each was the answer (blocked at 3):⊘ Borfield 4/3Lund 1/3');
    expect(said).toContain('Blocked set: Borfield.');
  });

  it('of a query without history has nothing to differ from; N is 4 where the record has none', () => {
    const none = { checks: [], aggDiff: null, blocked: [] };
    const said = words({ ...verdict, ...none, over: 'query', valid: true });
    expect(said).toContain('No earlier items to compare with.');
    expect(said).toContain('AggDiff –: new enough');
    expect(said).toContain('(blocked at 4)');
    expect(said).not.toContain('Blocked set');
    expect(words({ ...verdict, blocked: [], counts: {} })).toContain('Blocked set: empty.');
  });
});

describe('candidates', () => {
  it('are sorted by confidence, as a probability next to its number', () => {
    const html = body([candidates]);
    expect(rowsIn(html)).toEqual([
      ['probed answer', 'probability per token', 'confidence', 'rounds'],
      ['⊘ (empty)', '', '−0.1', '1'],
      ['Borfield', '', '−0.5', '2'],
    ]);
    expect(valuesOf(html, 'style')[0]).toMatch(/^width:90\.48/);
    expect(words({ ...candidates, confidenceBy: 'agreement' })).toContain('share of the samples');
  });
});

describe('a summary', () => {
  it('says what went in and came out, and from where', () => {
    const events = [
      retrieve([hit(passage('p1', 'Victor Kerlund', 'Born in Borfield in 1901.'))]),
      summary,
    ];
    const said = wordsIn(body(events, 1));
    expect(said).toContain(
      'In: Victor Kerlund (5 words). Out: 3 words, which the model read instead.',
    );
    expect(said).toContain('Summarized for “who” by extractive, from the cache in 1.50 s.');
    expect(words({ ...summary, fallback: true, reason: 'It asks why' })).toContain(
      '↩ sent back It asks why. A hint follows; neither is trained. In: no passages (0 words).',
    );
  });
});

describe('the other events', () => {
  it.each<[AgentEvent, string]>([
    [think, 'I look for him. between searches'],
    [
      { ...think, text: '', phase: 'alignment' },
      'The model wrote nothing here. RDRA: t = T(x, D0), equation (2)',
    ],
    [search(2, 'who'), 'who Not searched, written in a search tag.'],
    [answer, 'Lund short answer, chosen by STIE among the probed candidates.'],
    [
      { ...answer, by: 'forced', form: 'long', text: '' },
      '(empty) long answer, requested at a limit.',
    ],
    [{ ...answer, by: 'policy' }, 'Lund short answer, written by the model.'],
    [stop, 'Stopped because the model answered. after 2 rounds'],
    [fault, 'no answer A fault of the retrieval.'],
    [
      { ...fault, what: 'malformed' },
      'no answer The model did not keep to the format; this was recorded, and the rollout went on.',
    ],
  ])('%# says it in full', (event, said) => {
    expect(words(event)).toBe(said);
  });
});
