import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { EnvironmentParts } from '../../../src/handover/environment/environment.ts';
import type { Answer, SampleRequest } from '../../../src/handover/environment/protocol.ts';
import { itemAt } from '../../../src/base/items.ts';
import { idsOf } from '../../agent/scripted-policy.ts';
import { tokenizer } from '../../agent/tokenizer.ts';
import { drive, partsOf, resultsOf, serve, settingsOf, type Served } from './served.ts';

/** What the protocol promises a trainer, call by call. */

const SEARCH = idsOf('<think> a </think><search> who wrote it </search>');
const ANSWER = idsOf('<think> b </think><short_answer> \\boxed{ x } </short_answer>');
const flat = (ids: number[]): number[] => ids.map(() => -0.5);

let parts: EnvironmentParts;
let served: Served;

beforeAll(async () => {
  parts = await partsOf(settingsOf('search-r1'));
});
afterEach(() => served.stop());

/** Searches once, then answers. */
function script(): (request: SampleRequest) => Omit<Answer, 'id'> {
  const asked = new Map<string, number>();
  return ({ rollout }) => {
    const turn = asked.get(rollout) ?? 0;
    asked.set(rollout, turn + 1);
    const ids = turn === 0 ? SEARCH : ANSWER;
    return { ids, logprobs: flat(ids) };
  };
}

describe('a rollout', () => {
  it('is searched for, answered, scored and recorded', async () => {
    served = await serve(parts);
    const [done] = resultsOf(
      await drive(served, [{ id: 'a', draw: 0, step: 1, record: true }], script()),
    );
    const result = itemAt(done ? [done] : [], 0);
    expect(result).toMatchObject({ rollout: 'a', group: 'run-1-0-0', label: 'uniform', step: 1 });
    expect(result).toMatchObject({ answer: 'x', stop: 'answer', turns: 4 });
    const { completionIds, mask, logprobs = [], rewards, reward, metrics } = result;
    expect(mask).toHaveLength(completionIds.length);
    expect(logprobs).toHaveLength(completionIds.length);
    // The policy's tokens are those that were sampled, in order; what the environment wrote has no value.
    expect(completionIds.filter((_, i) => mask[i] === 1)).toEqual([...SEARCH, ...ANSWER]);
    expect(
      logprobs.map((value, i) => (mask[i] === 1 ? value === -0.5 : value === 0)),
    ).not.toContain(false);
    expect(result.completion).toContain('<search> who wrote it </search>');
    expect(Object.values(rewards).reduce((sum, value) => sum + value, 0)).toBeCloseTo(reward, 12);
    expect(metrics).toMatchObject({ acc: 0, em: 0, searches: 1, format: 1 });
    expect(result.record).toEqual(served.records[0]);
    expect(served.records[0]).toMatchObject({ format: 'forage.rollout/1', id: 'a', step: 1 });
  });

  it('without log-probabilities has none, not zeros', async () => {
    served = await serve(parts);
    const answer = script();
    const without = await drive(served, [{ id: 'a', draw: 0, step: 1 }], (request) => {
      const { ids, logprobs } = answer(request);
      return request.id === 'a#1' ? { ids } : { ids, logprobs };
    });
    expect(resultsOf(without)[0]).not.toHaveProperty('logprobs');
    const [record] = served.records;
    expect(record?.segments.filter((one) => one.mask === 1 && one.logprobs)).not.toHaveLength(0);
    expect(record?.policy.logprobs).toMatch(/missing in 2 of 4 segments/);
  });

  it('says what its log-probabilities are of', async () => {
    served = await serve(parts);
    const [unknown, of] = [
      { id: 'a', draw: 0, step: 1, logprobsOf: 'unknown' as const },
      { id: 'b', heldOut: 0, step: 1 },
    ];
    await drive(served, [unknown, of], script());
    const known = new Map(served.records.map((one) => [one.id, one.policy.logprobsOf]));
    expect(known.get('a')).toBeNull();
    expect(known.get('b')).toEqual({ temperature: 0.3, topK: 0, topP: 1 });
  });

  it.each([
    ['length', 'token-budget'],
    ['context', 'context-full'],
  ] as const)('that the engine ended early by %s stops for %s', async (finish, reason) => {
    served = await serve(parts);
    let first = true;
    const done = await drive(served, [{ id: 'a', draw: 0, step: 1 }], () => {
      const ids = first ? idsOf('<think> a b c') : ANSWER;
      const early = first;
      first = false;
      return { ids, logprobs: flat(ids), ...(early && { finish }) };
    });
    expect(resultsOf(done)[0]?.stop).toBe(reason);
  });

  it('whose policy fails is a failure, and is not recorded', async () => {
    const { info } = parts.reader;
    served = await serve({
      ...parts,
      reader: {
        ...parts.reader,
        tokenizer: {
          vocabSize: tokenizer.vocabSize,
          endOfText: tokenizer.endOfText,
          encodeText: (text) => tokenizer.encodeText(text),
          decode: (ids) => tokenizer.decode(ids),
          specialId: () => undefined,
          encodeTemplate: (text) => tokenizer.encodeTemplate(text),
        },
        info: { ...info, maxContext: 64 },
      },
    });
    const turn = await served.open([{ id: 'a', draw: 0, step: 1 }]);
    expect(turn.requests).toEqual([]);
    expect(turn.done).toMatchObject([
      { rollout: 'a', error: expect.stringMatching(/context of 64 tokens has no room/) as string },
    ]);
    expect(served.records).toEqual([]);
  });
});

describe('a call that is made again', () => {
  it('gives the same bytes while a rollout runs and after its end', async () => {
    served = await serve(parts);
    const opening = { rollouts: [{ id: 'a', draw: 0, step: 1 }] };
    const opened = await served.post('/v1/open', opening);
    expect(await served.post('/v1/open', opening)).toEqual(opened);
    const first = { answers: [{ id: 'a#0', ids: SEARCH, logprobs: flat(SEARCH) }] };
    const searched = await served.post('/v1/step', first);
    expect(searched.status).toBe(200);
    expect(await served.post('/v1/step', first)).toEqual(searched);
    // Opened again, it continues where it is.
    expect(await served.post('/v1/open', opening)).toEqual(searched);
    const second = { answers: [{ id: 'a#1', ids: ANSWER, logprobs: flat(ANSWER) }] };
    const [ended, again] = await Promise.all([
      served.post('/v1/step', second),
      served.post('/v1/step', second),
    ]);
    expect(again).toEqual(ended);
    expect(await served.post('/v1/step', second)).toEqual(ended);
    expect(await served.post('/v1/open', opening)).toEqual(ended);
    expect(served.records).toHaveLength(1);
  });

  it('may be part of another', async () => {
    served = await serve(parts);
    await served.open([
      { id: 'a', draw: 0, step: 1 },
      { id: 'b', draw: 0, index: 1, step: 1 },
    ]);
    const [a, b] = ['a#0', 'b#0'].map((id) => ({ id, ids: SEARCH, logprobs: flat(SEARCH) }));
    const alone = await served.step([a ?? {}]);
    const both = await served.step([a ?? {}, b ?? {}]);
    expect(both.requests[0]).toEqual(alone.requests[0]);
    expect(both.requests.map(({ rollout }) => rollout)).toEqual(['a', 'b']);
  });

  it('with other answers is refused, and changes nothing', async () => {
    served = await serve(parts);
    await served.open([{ id: 'a', draw: 0, step: 1 }]);
    const first = await served.step([{ id: 'a#0', ids: SEARCH }]);
    const other = await served.post('/v1/step', { answers: [{ id: 'a#0', ids: ANSWER }] });
    expect(other).toMatchObject({ status: 409 });
    expect(other.text).toMatch(/a#0: it was answered already, and not like this/);
    expect(await served.step([{ id: 'a#0', ids: SEARCH }])).toEqual(first);
    const reopened = await served.post('/v1/open', { rollouts: [{ id: 'a', draw: 1, step: 1 }] });
    expect(reopened.status).toBe(409);
  });
});

describe('probes', () => {
  const probing = async (): Promise<SampleRequest[]> => {
    served = await serve(await partsOf(settingsOf('kunlun-baize/dapo', ['recipe=kunlun-baize'])));
    await served.open([{ id: 'a', draw: 0, step: 1 }]);
    return (await served.step([{ id: 'a#0', ids: SEARCH, logprobs: flat(SEARCH) }])).requests;
  };

  it('ask for several continuations at once, with seeds of their own', async () => {
    const requests = await probing();
    expect(requests.length).toBeGreaterThan(1);
    expect(new Set(requests.map(({ seed }) => seed)).size).toBe(requests.length);
    expect(new Set(requests.map(({ context }) => context.join(' '))).size).toBe(1);
    expect(requests.every(({ scores }) => scores === 'model')).toBe(true);
  });

  it('may be answered in several calls', async () => {
    const requests = await probing();
    const ids = idsOf('x } </short_answer>');
    let left: SampleRequest[] = requests;
    for (const { id } of requests) {
      expect(left.map((one) => one.id)).toContain(id);
      left = (await served.step([{ id, ids, logprobs: flat(ids) }])).requests;
    }
    // All are answered: the rollout continues.
    expect(left.map(({ scores }) => scores)).toEqual(['sampling']);
  });
});

describe('an answer that is none', () => {
  const refusal = async (answer: object): Promise<string> => {
    const { status, text } = await served.post('/v1/step', { answers: [answer] });
    expect(status).toBe(400);
    const { error } = JSON.parse(text) as { error: string };
    return error;
  };

  it.each([
    [{ ids: [1, 2048] }, /id 2048 is outside of the vocabulary of 2048 tokens/],
    [{ ids: [-1] }, /answers\.0\.ids\.0/],
    [{ ids: [1.5] }, /answers\.0\.ids\.0/],
    [{ ids: [] }, /answers\.0\.ids: no token was sampled/],
    [{}, /answers\.0\.ids/],
    [{ ids: SEARCH, logprobs: [-1] }, /1 log-probabilities for \d+ ids/],
    [
      { ids: SEARCH, logprobs: SEARCH.map(() => 0.5) },
      /logprobs\.0: a log-probability is at most 0/,
    ],
    [{ ids: SEARCH, logprobs: SEARCH.map(() => null) }, /logprobs\.0/],
    [{ ids: SEARCH.slice(0, -1) }, /none of its stops is among them; say in finish/],
    [{ ids: SEARCH.slice(0, -1), finish: 'stop' }, /include_stop_str_in_output/],
    [{ ids: SEARCH, more: 1 }, /more/],
    [{ id: 'a#7', ids: SEARCH }, /a#7: its rollout never asked that/],
    [{ id: 'z#0', ids: SEARCH }, /no rollout "z" is open/],
    [{ id: 'nonsense', ids: SEARCH }, /no rollout "nonsens" is open|no rollout/],
  ])('%j is refused, and the rollout continues', async (answer, words) => {
    served = await serve(parts);
    const opened = await served.open([{ id: 'a', draw: 0, step: 1 }]);
    expect(await refusal({ id: 'a#0', ...answer })).toMatch(words);
    expect(await served.open([{ id: 'a', draw: 0, step: 1 }])).toEqual(opened);
  });

  it('spoils the call, and nothing of it counts', async () => {
    served = await serve(parts);
    const episodes = ['a', 'b'].map((id) => ({ id, draw: 0, step: 1 }));
    const opened = await served.open(episodes);
    const answers = [
      { id: 'a#0', ids: SEARCH },
      { id: 'b#0', ids: [4096] },
    ];
    expect((await served.post('/v1/step', { answers })).status).toBe(400);
    expect(await served.open(episodes)).toEqual(opened);
    const twice = [answers[0], answers[0]];
    expect((await served.post('/v1/step', { answers: twice })).text).toMatch(/occurs twice/);
  });
});

describe('an episode that is none', () => {
  it.each([
    [{ id: 'a', step: 1 }, 400, /exactly one of draw, heldOut and question/],
    [{ id: 'a', step: 1, draw: 0, heldOut: 0 }, 400, /exactly one/],
    [{ id: 'a', step: 0, draw: 0 }, 400, /rollouts\.0\.step/],
    [{ id: '', step: 1, draw: 0 }, 400, /rollouts\.0\.id/],
    [{ id: 'a', step: 1, heldOut: 64 }, 400, /the held-out sample has 64 questions/],
    [{ id: 'a', step: 1, question: 'q' }, 400, /there is no question "q"/],
    [{ id: 'a', step: 1, draw: 1e6 }, 400, /a run of 100 steps of 8 questions has less than 8000/],
    [{ id: 'a', step: 1, draw: 0, extra: 1 }, 400, /extra/],
  ])('%j', async (episode, status, words) => {
    served = await serve(parts);
    const reply = await served.post('/v1/open', { rollouts: [episode] });
    expect(reply.status).toBe(status);
    expect((JSON.parse(reply.text) as { error: string }).error).toMatch(words);
  });
});
