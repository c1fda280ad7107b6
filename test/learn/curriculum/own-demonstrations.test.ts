import { describe, expect, it } from 'vitest';
import { createRouter } from '../../../src/agent/router/router.ts';
import {
  NoDemonstrations,
  ownDemonstrations,
} from '../../../src/learn/curriculum/own-demonstrations.ts';
import { describeFailure } from '../../../src/lab/contract/failures.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import { getTraining } from '../../../src/systems/index.ts';
import type { TrainSettings } from '../../../src/recipes/parts/training.ts';
import { QUESTION, retrieverOver } from '../../agent/helpers.ts';
import { LOOP } from '../../agent/loop-script.ts';
import { ScriptedPolicy } from '../../agent/scripted-policy.ts';

/** Trajectories of a run's own: a scripted policy answers `Borfield` to whatever it is asked. */

const settings: TrainSettings = {
  ...getTraining('kunlun-baize/whole'),
  overrides: { stie: { mode: 'off' } },
};
const tries: TrainSettings = {
  ...settings,
  warmUp: {
    length: { updates: 1 },
    batch: 2,
    learningRate: 1e-3,
    onlyCorrect: true,
  },
};
const other = { ...QUESTION, id: 'q2', answers: ['Mondria'] };

const told: [number, number][] = [];
/** Answers, in the order in which they were given. */
const ended: (string | null)[] = [];
const sample = (rollouts: number, questions = [QUESTION, other], main = LOOP) =>
  ownDemonstrations(tries, { rollouts }, questions, {
    agent: {
      policy: new ScriptedPolicy({ main }),
      retriever: retrieverOver(),
      router: createRouter(),
      now: Date.now,
    },
    runId: 'run',
    onRollout: (done, total) => void told.push([done, total]),
    onEnded: ({ answer }) => void ended.push(answer),
  });

const titles = ({ events }: Rollout): string[] =>
  events.flatMap((event) =>
    event.kind === 'retrieve' ? event.hits.map(({ passage }) => passage.title) : [],
  );

describe('a run’s own trajectories', () => {
  it('are its right rollouts: each question once with clean and once with noisy results', async () => {
    const { gold, noisy, tried } = await sample(4);
    expect(tried).toBe(4);
    // Four tries over two questions; of the two answers one is right.
    expect([gold.length, noisy.length]).toEqual([1, 1]);
    for (const one of [...gold, ...noisy]) expect(one.question.id).toBe('q1');
    expect(told.at(-1)).toEqual([4, 4]);
    // Each is told when it ends, right or wrong.
    expect(ended).toHaveLength(4);
    expect(ended).not.toContain(null);
  });

  it('are of the run’s own loop, with its background and its router', async () => {
    const { gold } = await sample(2, [QUESTION]);
    const kinds = gold[0]?.events.map(({ kind }) => kind);
    expect(kinds).toContain('background');
    expect(gold[0]?.recipe.id).toBe('kunlun-baize');
    expect(gold[0]?.events.some((event) => event.kind === 'route' && event.by === 'router')).toBe(
      true,
    );
  });

  it('show other passages where noise is mixed in', async () => {
    const { gold, noisy } = await sample(16, [QUESTION]);
    expect([gold.length, noisy.length]).toEqual([8, 8]);
    const supporting = (all: readonly Rollout[]): number =>
      all.flatMap(titles).filter((title) => QUESTION.supporting.includes(title)).length;
    expect(supporting(noisy)).toBeLessThan(supporting(gold));
  });

  it('repeat with the seed', async () => {
    const ids = async () => (await sample(6)).gold.map((one) => [one.seed, titles(one)]);
    expect(await ids()).toEqual(await ids());
  });

  it('are refused if none is correct, by an error that its caller recognises', async () => {
    const refused = sample(4, [other]);
    await expect(refused).rejects.toThrow(/none of 4 rollouts was correct/);
    await expect(refused).rejects.toBeInstanceOf(NoDemonstrations);
    // The page knows it by its name: it crossed a worker.
    await expect(refused.catch(describeFailure)).resolves.toMatchObject({
      kind: 'no-demonstrations',
    });
  });

  it('leave out an answer that is right in a broken form', async () => {
    const broken = ['<search> author of Old Wolf</search>', ...LOOP.slice(1)];
    await expect(sample(2, [QUESTION], broken)).rejects.toThrow('none of 2');
  });
});
