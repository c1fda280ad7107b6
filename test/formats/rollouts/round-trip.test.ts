import { parquetWriteBuffer } from 'hyparquet-writer';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { writeRollout } from '../../../src/formats/rollouts/write.ts';
import type { ImportedRollout } from '../../../src/formats/rollouts/shape/imported.ts';
import { eventsOfEveryKind } from '../../fixtures/events.ts';
import { FOREIGN, loggingBoard, r1Searcher, trl, verl } from '../../fixtures/inspect/records.ts';
import { emptyRollout } from '../../fixtures/rollouts.ts';
import { importOne, ownLines, R1_SEARCHER_FILES, rolloutsOf } from './helpers.ts';

const throughOurs = async (rollout: ImportedRollout): Promise<ImportedRollout> =>
  (await rolloutsOf(new Blob([writeRollout(rollout, 'forage')])))[0]!;

/** Everything of the original: the fields, and the texts and columns that went into the segments. */
function restored({ origin, segments }: ImportedRollout): unknown[] {
  return [
    origin!.fields,
    segments
      .slice(0, origin!.responseAt)
      .map(({ text }) => text)
      .join(''),
    segments
      .slice(origin!.responseAt)
      .map(({ text }) => text)
      .join(''),
  ];
}

describe('through our JSONL and back', () => {
  test.each(Object.entries(FOREIGN))('%s loses nothing', async (_, record) => {
    const rollout = await importOne({
      ...record,
      extra: { nested: [1, null, 'x'] },
      ['__proto__x']: 1,
    });
    const back = await throughOurs(rollout);
    expect(back).toEqual(rollout);
    expect(restored(back)).toEqual(restored(rollout));
  });

  test.each([
    ['unknown, where no evidence is named', null],
    ['0, as older records say it', 0],
  ])('a recall that is %s', async (_, recall) => {
    const [line = ''] = ownLines();
    const record = JSON.parse(line) as ImportedRollout;
    record.question = { ...record.question, supporting: [] };
    record.metrics = { ...record.metrics!, recall };
    const [opened] = await rolloutsOf(new Blob([JSON.stringify(record)]));
    expect(opened?.metrics?.recall).toBe(recall);
    expect((await throughOurs(opened!)).metrics?.recall).toBe(recall);
  });

  test('TRL’s parquet, row for row', async () => {
    const column = (name: string, type: 'STRING' | 'DOUBLE' | 'INT64', data: unknown[]) => ({
      name,
      type,
      data,
    });
    const file = parquetWriteBuffer({
      columnData: [
        column('step', 'INT64', [7n, 8n]),
        column('prompt', 'STRING', [trl['prompt'], 'Question: x?\n']),
        column('completion', 'STRING', [trl['completion'], '<answer>é\u0000</answer>']),
        column('accuracy_reward', 'DOUBLE', [1, Number.NaN]),
        column('advantage', 'DOUBLE', [0.25, null]),
        column('note', 'STRING', [null, 'kept']),
      ],
    });
    for (const rollout of await rolloutsOf(new Blob([file]), 'a.parquet')) {
      const back = await throughOurs(rollout);
      expect(back).toEqual(rollout);
      expect(restored(back)).toEqual(restored(rollout));
    }
  });

  test('ours, byte for byte, with keys that this version does not know', async () => {
    for (const line of ownLines()) {
      const strange = line.replace(/^\{/, '{"future":{"key":[1]},');
      const [rollout] = await rolloutsOf(new Blob([strange]));
      expect(writeRollout(rollout!, 'forage')).toBe(strange);
    }
  });

  test.each(Object.values(eventsOfEveryKind('a "b"\n<c>')))('an event: $kind', async (event) => {
    const line = JSON.stringify({ ...emptyRollout('e'), events: [event] });
    const rollout = await importOne({ ...emptyRollout('e'), events: [event] });
    expect(rollout.events).toEqual([event]);
    expect(writeRollout(rollout, 'forage')).toBe(line);
  });

  test.each([true, false, null])('a judge whose verdict is %s', async (verdict) => {
    const line = ownLines()[0]!.replace(
      /,"answer":/,
      `,"judge":${JSON.stringify({ verdict, by: 'lj' })},"answer":`,
    );
    const [rollout] = await rolloutsOf(new Blob([line]));
    expect(rollout!.judge).toEqual({ verdict, by: 'lj' });
    expect(JSON.parse(writeRollout(rollout!, 'forage'))).toEqual(JSON.parse(line));
  });
});

describe('back to its own layout', () => {
  test.each([
    ['verl', verl],
    ['rl-logging-board', loggingBoard],
  ] as const)('%s', async (layout, record) => {
    const back = await throughOurs(await importOne(record));
    expect(JSON.parse(writeRollout(back, layout))).toEqual(record);
  });

  test('tokens that do not spell the response, and columns of another length', async () => {
    for (const record of [
      {
        ...loggingBoard,
        response_tokens: [...(loggingBoard['response_tokens'] as string[]).slice(1), 'x'],
      },
      { ...loggingBoard, logprobs: [-1] },
      { ...loggingBoard, response: '', response_tokens: undefined },
      { prompt: '', response: '<answer>x</answer>' },
    ]) {
      const plain = JSON.parse(JSON.stringify(record)) as object;
      const back = await throughOurs(await importOne(plain));
      expect(JSON.parse(writeRollout(back, 'rl-logging-board'))).toEqual(plain);
    }
  });
});

describe('into another layout', () => {
  test('ours as RLLoggingBoard: one value a token, the policy’s log-probabilities where it wrote', async () => {
    for (const own of await rolloutsOf(new Blob([ownLines().join('\n')]))) {
      const board = JSON.parse(writeRollout(own, 'rl-logging-board')) as Record<string, unknown[]>;
      const at = own.segments.findIndex(({ source }) => source === 'policy');
      const response = own.segments.slice(at);
      const ids = response.flatMap((segment) => segment.ids!);
      expect(board['response_ids']).toEqual(ids);
      expect(board['logprobs']).toHaveLength(ids.length);
      expect(board['loss_mask']!.map((bit) => bit === 1)).toEqual(
        board['logprobs']!.map((value) => value !== null),
      );
      expect(board['response']).toBe(response.map(({ text }) => text).join(''));
    }
  });

  test('what log-probabilities are of goes along, and none is made up', async () => {
    const logprobsOf = { temperature: 0.5, topK: 0, topP: 1 };
    for (const line of ownLines()) {
      const { policy, ...rest } = JSON.parse(line) as { policy: object };
      const told = JSON.stringify({ ...rest, policy: { ...policy, logprobsOf } });
      const [own] = await rolloutsOf(new Blob([told]));
      expect(own!.policy!.logprobsOf).toEqual(logprobsOf);
      expect(JSON.parse(writeRollout(own!, 'rl-logging-board'))).toMatchObject({
        logprobs_of: logprobsOf,
      });
      const { logprobsOf: _, ...untold } = policy as { logprobsOf?: unknown };
      const [old] = await rolloutsOf(new Blob([JSON.stringify({ ...rest, policy: untold })]));
      expect(JSON.parse(writeRollout(old!, 'rl-logging-board'))).not.toHaveProperty('logprobs_of');
    }
  });

  test('R1-Searcher as verl reads as verl', async () => {
    const [back] = await rolloutsOf(new Blob([writeRollout(await importOne(r1Searcher), 'verl')]));
    expect(back!.origin!.layout).toBe('verl');
    expect(back!.question.answers).toEqual(['Oslo']);
    // The file has no prompt; the question is in its place.
    const { responseAt } = back!.origin!;
    const texts = back!.segments.map(({ text }) => text);
    expect(texts.slice(0, responseAt).join('')).toBe(r1Searcher['question']);
    expect(texts.slice(responseAt).join('')).toBe(r1Searcher['gen_text_store']);
  });
});

for (const path of R1_SEARCHER_FILES) {
  const file = path.pathname.split('/').at(-1) ?? '';
  const missing = !existsSync(path);
  if (missing) console.warn(`skipped: needs ../shared/data/r1-searcher/${file}`);
  test.skipIf(missing)(`${file}: every line of it comes back whole`, async () => {
    const text = readFileSync(path, 'utf8');
    const originals = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const rollouts = await rolloutsOf(new Blob([text]));
    const ours = new Blob(rollouts.map((rollout) => `${writeRollout(rollout, 'forage')}\n`));
    const back = await rolloutsOf(ours);
    expect(
      back.map(({ origin, segments }) => ({
        ...origin!.fields,
        gen_text_store: segments.map((segment) => segment.text).join(''),
      })),
    ).toEqual(originals);
  });
}
