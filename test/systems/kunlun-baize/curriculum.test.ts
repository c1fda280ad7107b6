import { beforeAll, describe, expect, it } from 'vitest';
import type { Rollout } from '../../../src/records/rollout.ts';
import {
  GoldNoiseCurriculum,
  goldGroups,
  goldShare,
  noiseStrength,
} from '../../../src/systems/kunlun-baize/curriculum.ts';
import { NoisyRetriever } from '../../../src/learn/curriculum/noisy-retriever.ts';
import type { DrawnQuestion } from '../../../src/learn/rl/contracts.ts';
import { params, type Params } from '../../../src/systems/kunlun-baize/system.ts';
import { openTestWorld, tinySettings, type World } from '../../learn/rl/helpers.ts';

let world: World;
beforeAll(async () => {
  world = await openTestWorld();
});

const make = (change: Partial<Params> = {}): GoldNoiseCurriculum =>
  new GoldNoiseCurriculum(params.parse({ goldEpochs: 5, ...change }), {
    settings: tinySettings(),
    questions: world.questions,
    retriever: world.retriever,
    seed: 11,
  });

describe('the schedules', () => {
  it('gold is min(1, e / E), worked for E = 5', () => {
    expect([1, 2, 4, 5, 9].map((e) => goldShare(e, 5))).toEqual([0.2, 0.4, 0.8, 1, 1]);
  });

  it('noise goes by log(1 + e) and is 1 in epoch E, worked for E = 7: log2 of 2, 4, 8 by 3', () => {
    const [one, three, seven, nine] = [1, 3, 7, 9].map((e) => noiseStrength(e, 7));
    expect(one).toBeCloseTo(1 / 3, 12);
    expect(three).toBeCloseTo(2 / 3, 12);
    expect([seven, nine]).toEqual([1, 1]);
  });

  it('the noisier the later: behind E a share of noise stays and grows, worked for E = 3 and a floor of 0.1', () => {
    // α_e = log(1 + e) / log(4): 1/2 at e = 1, 1 at 3, 3/2 at 7, 2 at 15. (15) gives 1/3, 1, 1, 1 of gold.
    const gold = (e: number, noiseFloor: number | null): number =>
      goldGroups(e, e, { goldEpochs: 3, noiseFloor });
    expect([1, 3, 7, 15].map((e) => gold(e, null))).toEqual([1 / 3, 1, 1, 1]);
    const shares = [1, 3, 7, 15].map((e) => gold(e, 0.1));
    [1 / 3, 0.9, 0.85, 0.8].forEach((share, i) => expect(shares[i]).toBeCloseTo(share, 12));
    // A floor that would leave less than nothing leaves nothing.
    expect(gold(15, 0.7)).toBe(0);
  });

  it('and by retrievals, e of (16) alone counts them', () => {
    // Step 3 has all gold by (15); e = 15 of (16) takes 0.2 of it.
    expect(goldGroups(3, 15, { goldEpochs: 3, noiseFloor: 0.1 })).toBeCloseTo(0.8, 12);
  });
});

describe('the draws', () => {
  it('hold the share of gold to within one a step, and nothing else from step E on', async () => {
    const curriculum = make();
    for (let step = 1; step <= 6; step++) {
      const drawn = await curriculum.draw({ step, batch: 0, count: 8 });
      const gold = drawn.filter(({ label }) => label === 'gold').length;
      expect(Math.abs(gold - 8 * goldShare(step, 5))).toBeLessThan(1);
      for (const { label, agent } of drawn) {
        expect(['gold', 'noisy']).toContain(label);
        // Only noisy groups get a retriever of their own.
        expect(agent?.retriever !== undefined).toBe(label === 'noisy');
      }
    }
  });

  it('hold noise from step E on where a floor is kept, and more of it later', async () => {
    const curriculum = make({ noiseFloor: 0.25 });
    const noisy = async (step: number): Promise<number> => {
      const drawn = await curriculum.draw({ step, batch: 0, count: 400 });
      return drawn.filter(({ label }) => label === 'noisy').length / 400;
    };
    expect(await noisy(5)).toBeCloseTo(0.25, 2);
    // α_35 of E = 5 is log 36 / log 6 = 2.
    expect(await noisy(35)).toBeCloseTo(0.5, 2);
  });

  it('are right on average where the share of a step is no whole number', async () => {
    const curriculum = make();
    let gold = 0;
    for (let batch = 0; batch < 500; batch++)
      for (const { label } of await curriculum.draw({ step: 1, batch, count: 2 }))
        gold += Number(label === 'gold');
    expect(gold / 1000).toBeCloseTo(0.2, 1);
  });

  it('go on from a state', async () => {
    const first = make();
    await first.draw({ step: 1, batch: 0, count: 3 });
    const second = make();
    second.restore(JSON.parse(JSON.stringify(first.state())));
    const ids = (drawn: DrawnQuestion[]): string[] =>
      drawn.map(({ question, label }) => `${question.id} ${label}`);
    const request = { step: 2, batch: 1, count: 6 };
    expect(ids(await second.draw(request))).toEqual(ids(await first.draw(request)));
    expect(() => second.restore({ drawn: -1 })).toThrow();
  });
});

/** Share of a noisy draw's passages that the world's own retriever did not give. */
async function noiseOf(curriculum: GoldNoiseCurriculum, step: number): Promise<number> {
  const drawn = await curriculum.draw({ step, batch: 0, count: 60 });
  let changed = 0;
  let all = 0;
  for (const { question, agent } of drawn.filter(({ label }) => label === 'noisy')) {
    const own = await world.retriever.search('local', question.text, 4);
    const got = await agent!.retriever!.search('local', question.text, 4);
    all += own.hits.length;
    changed += got.hits.filter((hit, i) => hit.passage !== own.hits[i]!.passage).length;
  }
  return changed / all;
}

describe('the noise of noisy questions', () => {
  it('grows with the step as (16) says', async () => {
    for (const step of [1, 4])
      expect(
        Math.abs((await noiseOf(make({ noise: 1 }), step)) - noiseStrength(step, 5)),
      ).toBeLessThan(0.15);
  });

  it('or with the retrievals, where these drive it: as many as a step has rollouts are one epoch', async () => {
    const still = make({ noise: 1, noiseBy: 'retrievals' });
    const driven = make({ noise: 1, noiseBy: 'retrievals' });
    // Two questions by four rollouts per step: 24 retrievals are three epochs more than the first.
    driven.observe([[{ metrics: { searches: 24 } } as Rollout]]);
    const [before, after] = [await noiseOf(still, 2), await noiseOf(driven, 2)];
    expect(Math.abs(before - noiseStrength(1, 5))).toBeLessThan(0.15);
    expect(Math.abs(after - noiseStrength(4, 5))).toBeLessThan(0.15);
    expect(driven.state()).toMatchObject({ retrievals: 24 });
  });
});

describe('a noisy retriever', () => {
  const noisy = (strength: number, seed = 1): NoisyRetriever => {
    const supporting = world.questions.flatMap((question) => question.supporting);
    return new NoisyRetriever(world.retriever, { strength, seed, supporting });
  };
  const titles = async (
    retriever: Pick<NoisyRetriever, 'search'>,
    query: string,
  ): Promise<string[]> =>
    (await retriever.search('both', query, 4)).hits.map(({ passage }) => passage.id);

  it('of strength 0 is the retriever itself', async () => {
    for (const { text } of world.questions.slice(0, 5))
      expect(await titles(noisy(0), text)).toEqual(await titles(world.retriever, text));
  });

  it('of strength 1 gives as many passages, none of them shown before, none clean and supporting', async () => {
    for (const { text, supporting } of world.questions.slice(0, 10)) {
      const own = await world.retriever.search('both', text, 4);
      const { hits } = await noisy(1).search('both', text, 4);
      expect(hits).toHaveLength(own.hits.length);
      const shown = new Set(own.hits.map(({ passage }) => passage.id));
      for (const { passage } of hits) {
        expect(shown.has(passage.id)).toBe(false);
        expect(passage.noise === undefined && supporting.includes(passage.title)).toBe(false);
      }
    }
  });

  it('answers a query the same whatever was asked before, and another seed otherwise', async () => {
    const queries = world.questions.slice(0, 8).map(({ text }) => text);
    const [once, other] = [noisy(0.5), noisy(0.5, 2)];
    const first = await Promise.all(queries.map((query) => titles(once, query)));
    const again = await Promise.all(queries.toReversed().map((query) => titles(once, query)));
    expect(again.toReversed()).toEqual(first);
    expect(await Promise.all(queries.map((query) => titles(other, query)))).not.toEqual(first);
  });
});
