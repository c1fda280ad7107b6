import { describe, expect, it } from 'vitest';
import { scoreRollout } from '../../../src/learn/rewards/index.ts';
import { informationGains, tfIdfCosines } from '../../../src/systems/step-search/reward.ts';
import { lookUpGold } from '../../../src/learn/rl/collect.ts';
import type { ChainStep } from '../../../src/records/records.ts';
import { LOCAL, QUESTION, retrieverOver } from '../../agent/helpers.ts';
import { hit, retrieve } from '../../fixtures/rollouts.ts';
import { made } from './records.ts';

const G1 = 'Old Wolf was written by Victor Kerlund';
const G2 = 'Borfield lies near Mondria';
const X = 'Estdor Group';

describe('TF-IDF', () => {
  it('weighs words by how few of the texts have them', () => {
    // Two texts: "red" is in both, idf ln(3/3) + 1 = 1; the others in one, ln(3/2) + 1 = 1.4055. Norms √(1 + 1.4055²) = 1.7249.
    expect(tfIdfCosines('red fox', ['Red dog'])[0]).toBeCloseTo(1 / 2.97533, 5);
    expect(tfIdfCosines(G1, [G1, G2]).map((c) => Number(c.toFixed(12)))).toEqual([1, 0]);
  });

  it('knows no word of one letter, and nothing of a text without words', () => {
    expect(tfIdfCosines('a b', ['a b'])).toEqual([0]);
    expect(tfIdfCosines('', ['red'])).toEqual([0]);
  });
});

describe('StepSearch’s information gain', () => {
  it('of (G1, x), then (G1, G2) is 0.5 and 0.5: what rises above the best so far', () => {
    const gains = informationGains([[G1, X], [G1, G2]], [G1, G2]); // prettier-ignore
    expect(gains.map((gain) => Number(gain.toFixed(12)))).toEqual([0.5, 0.5]);
    expect(informationGains([[X], [G1], [G1]], [G1])).toEqual([0, expect.closeTo(1, 12), 0]);
    expect(informationGains([[G1]], [])).toEqual([0]);
  });

  it('counts a part of a gold paragraph, which titles do not', () => {
    const [first = 0, second = 0] = informationGains([['red fox'], ['red dog']], ['red dog']);
    expect(first).toBeCloseTo(0.3361, 4);
    expect(first + second).toBeCloseTo(1, 12);
  });

  it('less the share seen before, by 0.6: 0.30 and 0, with the gold paragraphs that were looked up', async () => {
    const [wolf, author, film] = LOCAL as [(typeof LOCAL)[0], (typeof LOCAL)[0], (typeof LOCAL)[0]];
    const chain = [wolf, author].map(({ id, title }): ChainStep => ({
      subject: title,
      relation: 'r',
      object: 'o',
      title,
      passageId: id,
      query: title,
    }));
    const rollout = made({ queries: [['one', 'answered'], ['two', 'answered']] }); // prettier-ignore
    const results = [
      [wolf, film],
      [wolf, author],
    ];
    let at = 0;
    rollout.events = rollout.events.map((event) =>
      event.kind === 'retrieve'
        ? retrieve(
            (results[at++] ?? []).map((passage) => hit(passage)),
            event.query,
          )
        : event,
    );
    await lookUpGold(retrieverOver(), [{ ...QUESTION, chain }], [[rollout]]);
    expect(rollout.goldTexts?.map(({ title }) => title)).toEqual(['Old Wolf', 'Victor Kerlund']);
    const of = (name: string): number[] =>
      scoreRollout(rollout, 'step-search-tf-idf')
        .filter(({ clause }) => clause === name)
        .map(({ value }) => value);
    const golds = (rollout.goldTexts ?? []).map(({ text }) => text);
    const gains = informationGains(
      results.map((all) => all.map(({ text }) => text)),
      golds,
    );
    expect(of('gain')).toEqual(gains.map((gain) => 0.6 * gain));
    // Both pages name the author, so the first brings a part of the second; together they are the whole.
    expect(gains[0]).toBeGreaterThan(0.5);
    expect((gains[0] ?? 0) + (gains[1] ?? 0)).toBeCloseTo(1, 12);
    expect(of('redundancy')).toEqual([-0, -0.3]);
  });
});
