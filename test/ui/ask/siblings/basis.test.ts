import { beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_SPEC, type EvaluationSpec } from '../../../../src/evaluate/systems/spec.ts';
import type { RetrieveEvent } from '../../../../src/records/events.ts';
import type { Rollout } from '../../../../src/records/rollout.ts';
import { BUILT_IN_SETUP } from '../../../../src/records/setup.ts';
import { basisOf } from '../../../../src/ui/ask/siblings/basis.ts';
import { useSession } from '../../../../src/ui/kit/session-store.ts';
import {
  evaluatedRollout,
  evaluatedSystem,
  evaluationRecord,
  evaluationResult,
} from '../../../fixtures/evaluations.ts';
import { emptyRollout, hit, passage } from '../../../fixtures/rollouts.ts';
import { runRecord } from '../../../fixtures/train-runs.ts';
import { connectFake, stubPage, type Answers } from '../../lab/fake-lab.ts';
import { useAsk } from '../../../../src/ui/ask/store/ask-store.ts';

/** Which rollouts that are read elsewhere can be continued, by what, and what is said of the others. */

const HERE = passage('p1', 'Oslo', 'It rains.');

const found = (of = HERE): RetrieveEvent => ({
  kind: 'retrieve',
  t: 1,
  query: 'where',
  source: 'local',
  hits: [hit(of)],
  latencyMs: 1,
  addedDelayMs: 0,
  newSupporting: [],
  duplicates: [],
  newEntities: 0,
});

const record = (rest: Partial<Rollout> = {}): Rollout => ({
  ...emptyRollout('a'),
  events: [found()],
  ...rest,
});

const connect = (rest: Answers = {}) =>
  connectFake({
    ask: {
      search: () => Promise.resolve({ hits: [hit(HERE)], latencyMs: 1, failures: [] }),
      question: () => Promise.resolve(null),
    },
    train: { runs: () => Promise.resolve([runRecord('run-a')]) },
    rollouts: { files: () => Promise.resolve([]) },
    ...rest,
    evaluations: {
      runs: () =>
        Promise.resolve([
          { id: 'run-a', name: 'mine', recipe: 'search', overrides: {}, steps: [2, 1] },
        ]),
      ...rest.evaluations,
    },
  });

beforeEach(() => {
  stubPage();
  useAsk.setState({ adapters: null });
  const { parts } = useSession.getInitialState();
  const policy = { id: 'test', revision: '0' };
  useSession.setState({
    parts: { ...parts, policy: { ...parts.policy, status: 'ready' } },
    policy: policy as ReturnType<typeof useSession.getState>['policy'],
  });
});

describe('a rollout of a file', () => {
  const FILE = { file: 'f', rollout: 'a' };

  it('is continued by the loaded policy if that wrote it and finds the same passages', async () => {
    connect();
    expect(await basisOf(FILE, record())).toEqual({ name: 'a file', setup: BUILT_IN_SETUP });
  });

  it('is continued by the adapter that it names, if that is stored', async () => {
    connect();
    const policy = { id: 'other', revision: '9', adapter: 'run-a-step-2' };
    expect(await basisOf(FILE, record({ policy }))).toMatchObject({
      policy: { kind: 'run', run: 'run-a', step: 2 },
    });
  });

  it('of an evaluation is continued by the adapter that it names, or explicitly without one', async () => {
    connect();
    const policy = { id: 'test', revision: '0' };
    const without = record({ runId: 'evaluation', policy: { ...policy, adapter: null } });
    expect(await basisOf(FILE, without)).toEqual({ name: 'a file', setup: BUILT_IN_SETUP });
    const adapter = 'run-a-step-1';
    expect(
      await basisOf(FILE, record({ runId: 'evaluation', policy: { ...policy, adapter } })),
    ).toMatchObject({ policy: { kind: 'run', run: 'run-a', step: 1 } });
  });

  it.each<[string, Partial<Rollout>, RegExp]>([
    ['other weights', { policy: { id: 'test', revision: '1' } }, /^test 1 wrote it, .* test 0;/],
    [
      'an adapter that is not kept',
      { policy: { id: 'test', revision: '0', adapter: 'run-a-step-3' } },
      /^the adapter “run-a-step-3”, which wrote it, is not/,
    ],
    [
      'a training run of elsewhere',
      { step: 4 },
      /^its training run, and so the adapter that wrote it, is not in/,
    ],
    [
      'an evaluation that did not say whether by an adapter',
      { runId: 'evaluation' },
      /^its evaluation does not record whether/,
    ],
    [
      'other passages',
      { events: [found(passage('p2', 'Rome', 'It shines.'))] },
      /^Ask searches other passages than this rollout found/,
    ],
    [
      'another text of the same passage',
      { events: [found(passage('p1', 'Oslo', 'It snows.'))] },
      /^Ask searches other passages than this rollout found/,
    ],
    ['no passages and no question of here', { events: [] }, /^it found no passages, so/],
  ])('of %s is not, and it is said why', async (_, rest, why) => {
    connect();
    expect(await basisOf(FILE, record(rest))).toEqual({
      why: expect.stringMatching(why) as string,
    });
  });
});

describe('a rollout of an evaluation', () => {
  const PLACE = { file: 'evaluation-e', rollout: 'a' };

  const evaluated = (
    spec: Partial<EvaluationSpec>,
    { system = 's', question = 'built-in/q', policy = 'test' } = {},
  ) =>
    connect({
      collections: { list: () => Promise.resolve([]) },
      evaluations: {
        list: () =>
          Promise.resolve([evaluationRecord('e', { spec: { ...DEFAULT_SPEC, ...spec } })]),
        result: () =>
          Promise.resolve(
            evaluationResult(
              { s: [1] },
              {
                systems: [evaluatedSystem(system, { policy })],
                rollouts: [evaluatedRollout(system, question, 1, { rollout: 'a' })],
              },
            ),
          ),
      },
    });

  it('is continued as the evaluation says', async () => {
    evaluated({ retrieval: [{ k: 3 }, { k: 5 }] });
    expect(await basisOf(PLACE, record())).toEqual({
      name: 'Evaluation e',
      setup: { ...BUILT_IN_SETUP, summarizer: { kind: 'extractive' } },
    });
  });

  it.each([2, null])(
    'is gone on with by the adapter of its row, asked as step %s',
    async (step) => {
      evaluated(
        {
          policies: [
            { kind: 'base', policy: { kind: 'built-in' } },
            { kind: 'run', run: 'run-a', step },
          ],
        },
        { system: 's@run-a-step-2', policy: 'mine, step 2' },
      );
      expect(await basisOf(PLACE, record())).toMatchObject({
        policy: { kind: 'run', run: 'run-a', step: 2 },
      });
    },
  );

  it.each<[string, Partial<EvaluationSpec>, string, RegExp]>([
    [
      'a made world',
      { questions: [{ kind: 'fresh', seed: 7, split: 'test', limit: 5 }] },
      'seed7/q',
      /generated a world from seed 7/,
    ],
    [
      'a collection that was deleted',
      { questions: [{ kind: 'collections', ids: ['c'], split: 'all', limit: null }] },
      'imported-c/q',
      /^a collection of its evaluation is not/,
    ],
    [
      'several webs',
      { retrieval: [{}, { web: { kind: 'searxng', url: 'https://lab.org' } }] },
      'built-in/q',
      /searches several corpora/,
    ],
    [
      'an adapter that is not kept',
      { policies: [{ kind: 'run', run: 'run-a', step: 9 }] },
      'built-in/q',
      /^the adapter “test”, which wrote it, is not/,
    ],
    [
      'a command line',
      { policies: [{ kind: 'folders' }] },
      'built-in/q',
      /folder named on the command/,
    ],
  ])('of %s is not, and it is said why', async (_, spec, question, why) => {
    evaluated(spec, { question });
    expect(await basisOf(PLACE, record())).toEqual({ why: expect.stringMatching(why) as string });
  });

  it('that was deleted is not either', async () => {
    connect({ evaluations: { list: () => Promise.resolve([]) } });
    expect(await basisOf(PLACE, record())).toEqual({
      why: 'its evaluation is not in this browser any more',
    });
  });
});
