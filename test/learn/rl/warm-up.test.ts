import * as fc from 'fast-check';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Rollout } from '../../../src/records/rollout.ts';
import { negativeLogLikelihood } from '../../../src/learn/objective.ts';
import { readDemonstrations } from '../../../src/learn/rl/demonstrations.ts';
import { usableDemonstrations } from '../../../src/learn/rl/warm-up-data.ts';
import { decodeState, encodeState } from '../../../src/learn/rl/state.ts';
import { tokenizer } from '../../agent/tokenizer.ts';
import { openTestWorld, tinySettings, trainTiny, type Trained, type World } from './helpers.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const warmUp = { length: { updates: 12 }, batch: 4, learningRate: 1e-2, onlyCorrect: false };
const settings = tinySettings({
  steps: 1,
  warmUp,
  heldOut: { questions: 0, every: 1, temperature: 0.3 },
});

let world: World;
let demonstrations: Rollout[];
let whole: Trained;
const notices: string[] = [];
beforeAll(async () => {
  world = await openTestWorld();
  const made = await trainTiny({ settings: tinySettings({ steps: 1 }), world });
  demonstrations = made.rollouts.flat();
  const hooks = { onNotice: (line: string) => void notices.push(line) };
  whole = await trainTiny({ settings, world, demonstrations, hooks });
});

/** The same cold start, stopped after some of its updates. */
function stoppedAfter(count: number): Promise<Trained> {
  let updates = 0;
  const onProgress = ({ phase, done }: { phase: string; done: number }) => {
    if (phase === 'warm-up') updates = done;
  };
  return trainTiny({
    settings,
    world,
    demonstrations,
    hooks: { onProgress, shouldStop: () => updates >= count },
  });
}

/** Greatest difference of two adapters. */
const furthest = (a: Float32Array, b: Float32Array): number =>
  a.reduce((most, value, i) => Math.max(most, Math.abs(value - (b[i] ?? NaN))), 0);

describe('a supervised warm-up', () => {
  it('lowers the loss of the trajectories it is given, and says by how much', () => {
    expect(notices).toHaveLength(1);
    const [, first, last] =
      /12 of 12 updates on 8 demonstrations, loss ([\d.]+) → ([\d.]+) nats/.exec(notices[0]!)!;
    expect(Number(last)).toBeLessThan(Number(first) - 0.05);
    expect(whole.state.warmedUp).toBe(12);
  });

  it('comes before the first step, whose rollouts the warmed-up policy makes', async () => {
    expect(whole.steps.map(({ step }) => step)).toEqual([1]);
    // Else the trainer would disagree with the sampler.
    expect(whole.steps[0]!.samplerGap.max).toBeLessThan(2e-3);
    const cold = await trainTiny({ settings: { ...settings, warmUp: null }, world });
    expect(cold.state.adapter).not.toEqual(whole.state.adapter);
  });

  it('takes ever smaller steps: the rate of AdamW falls to 0', async () => {
    const first = await stoppedAfter(1);
    const { adapter } = (await trainTiny({ settings: tinySettings({ steps: 0 }), world })).state;
    // One step of AdamW is the rate times the sign of the gradient.
    expect(furthest(first.state.adapter, adapter)).toBeCloseTo(1e-2, 4);
    const last = await stoppedAfter(11);
    expect(furthest(last.state.adapter, whole.state.adapter)).toBeLessThan(1e-2 / 4);
  });

  it('goes on bit for bit where it was stopped', async () => {
    const stopped = await stoppedAfter(3);
    expect([stopped.end, stopped.state.step, stopped.state.warmedUp]).toEqual(['stopped', 0, 3]);
    const state = decodeState(encodeState(stopped.state));
    const resumed = await trainTiny({ settings, world, demonstrations, state });
    expect(resumed.state.adapter).toEqual(whole.state.adapter);
  });

  it.each([
    ['noise in its results', 'clean ones', 'gold'],
    ['clean results', 'noisy ones', 'noisy'],
  ] as const)(
    'of the policy’s own that has no right rollout with %s says so, goes on with %s, and says what to do',
    async (missing, there, name) => {
      const told: string[] = [];
      const own = { gold: [], noisy: [], tried: 20, [name]: demonstrations };
      const made = await trainTiny({
        settings: {
          ...settings,
          warmUp: { ...warmUp, length: { updates: 2 }, own: { rollouts: 256 } },
        },
        world,
        own,
        hooks: { onNotice: (line) => void told.push(line) },
      });
      expect(made.state.warmedUp).toBe(2);
      expect(told[0]).toContain(`no rollout with ${missing} was correct, so it uses only ${there}`);
      expect(told[0]).toMatch(/sample more rollouts \(warmUp\.own\.rollouts\)/);
      expect(told[0]).toMatch(/start from a model that answers more/);
      expect(told[1]).toMatch(
        new RegExp(`2 of 2 updates on ${demonstrations.length} ${name} demonstrations`),
      );
    },
  );

  it('of a file says how many of its trajectories it learned from', async () => {
    const told: string[] = [];
    const wrong = demonstrations.slice(0, 3).map((each) => ({ ...each, metrics: null }));
    await trainTiny({
      settings: { ...settings, warmUp: { ...warmUp, length: { updates: 1 }, onlyCorrect: true } },
      world,
      demonstrations: [
        ...wrong,
        ...demonstrations
          .slice(3)
          .map((each) => ({ ...each, metrics: { ...each.metrics!, em: 1 } })),
      ],
      hooks: { onNotice: (line, of) => void told.push(`${of}: ${line}`) },
    });
    expect(told).toEqual([
      expect.stringMatching(/^before: .* 1 updates on 5 of 8 demonstrations, /),
    ]);
  });

  it('of the policy’s own that has right ones of both says nothing of it', async () => {
    const told: string[] = [];
    await trainTiny({
      settings: {
        ...settings,
        warmUp: { ...warmUp, length: { updates: 2 }, own: { rollouts: 256 } },
      },
      world,
      own: { gold: demonstrations.slice(0, 3), noisy: demonstrations.slice(3), tried: 20 },
      hooks: { onNotice: (line) => void told.push(line) },
    });
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(
      /2 of 2 updates on 3 gold and 5 noisy demonstrations, kept of 20 rollouts, loss/,
    );
  });

  it('weighs every token the same: the loss is their mean negative log-likelihood', () => {
    const { loss, coefficients } = negativeLogLikelihood(new Float32Array([-1, -2, -3]), 1 / 3);
    expect(loss).toBeCloseTo(2, 6);
    expect([...coefficients].map((c) => Math.round(c * 3))).toEqual([1, 1, 1]);
  });

  it('reads what the environment wrote and learns what the policy wrote', () => {
    const [item] = usableDemonstrations(demonstrations, { onlyCorrect: false, maxTokens: 512 });
    const { segments } = demonstrations[0]!;
    const sources = segments.flatMap(({ ids, source }) => ids.map(() => source));
    expect(item!.ids).toEqual(Int32Array.from(segments.flatMap(({ ids }) => ids)));
    for (const [i, source] of sources.entries())
      if (item!.mask[i] === 1) expect(source).toBe('policy');
    expect(item!.mask.some((bit) => bit === 1)).toBe(true);
  });

  it('says why nothing can be learned from', () => {
    const learn = (limits: { onlyCorrect: boolean; maxTokens: number }) => () =>
      usableDemonstrations(demonstrations, limits);
    expect(learn({ onlyCorrect: false, maxTokens: 5 })).toThrow(/8 are longer than 5 tokens/);
    const wrong = demonstrations.map((each) => ({ ...each, metrics: null }));
    expect(() => usableDemonstrations(wrong, { onlyCorrect: true, maxTokens: 512 })).toThrow(
      /none of 8 demonstrations can be used: 8 are not known to be correct/,
    );
  });
});

describe('a file of trajectories', () => {
  const file = () => demonstrations.map((each) => JSON.stringify(each)).join('\n');

  it('gives back the rollouts that were written', () => {
    expect(readDemonstrations(`${file()}\n\n`, tokenizer.vocabSize)).toEqual(demonstrations);
  });

  it('is refused with the number of the line and what is wrong with it', () => {
    const read =
      (text: string, vocab: number = tokenizer.vocabSize) =>
      () =>
        readDemonstrations(text, vocab);
    expect(read(`${file()}\n{"format":`)).toThrow('trajectories: line 9: it is not JSON');
    expect(read('\n{"format":"forage.rollout/1","metrics":null}')).toThrow(/line 2: segments: /);
    expect(read(file(), 3)).toThrow(/line 1: it holds tokens that this policy does not have/);
    expect(read(' \n')).toThrow('trajectories: the file holds none');
  });

  it.each([
    [0, null],
    [-1, 'line 1: segments.0.ids.0'],
    [0.5, 'line 1: segments.0.ids.0'],
    [9, null],
    [10, 'line 1: it holds tokens that this policy does not have'],
  ])('may hold the token %f of ten: %s', (id, fault) => {
    const segments = [{ source: 'policy', role: 'think', text: 'a', ids: [id], mask: 1 }];
    const line = JSON.stringify({ format: 'forage.rollout/1', segments, metrics: null });
    if (fault === null) expect(readDemonstrations(line, 10)).toHaveLength(1);
    else expect(() => readDemonstrations(line, 10)).toThrow(fault);
  });

  it('is read or refused in one line, whatever it holds', () => {
    const line = JSON.stringify({ ...demonstrations[0]!, events: [] });
    fc.assert(
      fc.property(fc.nat(line.length), fc.nat(40), fc.string({ maxLength: 6 }), (at, cut, put) => {
        const broken = line.slice(0, at) + put + line.slice(at + cut);
        try {
          const [rollout] = readDemonstrations(broken, tokenizer.vocabSize);
          expect(Array.isArray(rollout!.segments)).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
          expect((error as Error).message).toMatch(/^trajectories: (line \d|the file)/);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
