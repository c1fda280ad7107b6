import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, test } from 'vitest';
import { fullText, isOwnRollout } from '../../../src/formats/rollouts/shape/imported.ts';
import { importRollouts, type ImportItem } from '../../../src/formats/rollouts/import.ts';
import { roundsOf } from '../../../src/formats/rollouts/rounds.ts';
import {
  FOREIGN,
  loggingBoard,
  r1Searcher,
  trl,
  trlChat,
  verl,
} from '../../fixtures/inspect/records.ts';
import { blobOf, importOne, inChunks, ownLines, readAll, rolloutsOf } from './helpers.ts';

const layouts = (items: ImportItem[]) =>
  items.map((item) => (item.kind === 'rollout' ? item.layout : 'fault'));

describe('a file is recognised by its content', () => {
  test('every layout, even mixed in one file', async () => {
    const own: unknown = JSON.parse(ownLines()[0]!);
    const items = await readAll(blobOf(r1Searcher, verl, loggingBoard, trl, trlChat, own));
    expect(layouts(items)).toEqual([
      'r1-searcher',
      'verl',
      'rl-logging-board',
      'trl',
      'trl',
      'forage',
    ]);
    expect(items.map((item) => item.line)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('R1-Searcher: the response is cut into thought, query, documents, answer', async () => {
    const rollout = await importOne(r1Searcher);
    expect(rollout.segments.map(({ source, role }) => `${source} ${role}`)).toEqual([
      'policy think',
      'policy search',
      'policy think',
      'environment result',
      'policy think',
      'policy answer',
    ]);
    expect(fullText(rollout)).toBe(r1Searcher['gen_text_store']);
    expect(rollout.answer).toBe(' Oslo ');
    expect(rollout.judge).toEqual({ verdict: true, by: 'gpt4o_output' });
    const [first, last] = roundsOf(rollout);
    expect(first!.query!.text).toBe('director of Night Ferry');
    expect(first!.passages.map(({ title }) => title)).toEqual(['Night Ferry', 'Ada Berg']);
    expect(last!.query).toBeNull();
  });

  test('verl: question and golds out of prompt and gts, the answer out of the response', async () => {
    const rollout = await importOne(verl);
    expect(rollout.question).toMatchObject({
      text: 'Who wrote Low Tide?',
      answers: ['Ida Holm', 'I. Holm'],
    });
    expect(rollout.answer).toBe('Ida Holm');
    expect(rollout).toMatchObject({ reward: 1, step: 40, origin: { protocol: 'search-r1' } });
    expect(rollout.origin!.fields).toMatchObject({ acc: true, format_reward: 0.2 });
  });

  test('RLLoggingBoard: columns go to the segments whose tokens they are', async () => {
    const { segments } = await importOne(loggingBoard);
    const [, think, answer] = segments;
    expect(think).toMatchObject({
      role: 'think',
      tokens: ['<think>', ' by', ' whom', '?</think>'],
      logprobs: [-0.1, -0.2, -0.3, -0.4],
    });
    expect(answer).toMatchObject({
      role: 'answer',
      refLogprobs: [-0.2, -0.2, -0.2, -0.2],
      values: [0.4, 0.5, 0.6, 0.7],
      tokenRewards: [0, 0, 0, 1],
    });
    for (const { tokens, text } of segments.slice(1)) expect(tokens!.join('')).toBe(text);
  });

  test('TRL: messages keep who wrote them; several reward columns leave the reward open', async () => {
    const rollout = await importOne(trlChat);
    expect(rollout.segments.map(({ source, role }) => `${source} ${role}`)).toEqual([
      'prompt instruction',
      'prompt question',
      'policy think',
      'policy search',
      'environment result',
      'policy answer',
    ]);
    expect(rollout.rewards.map(({ clause, value }) => [clause, value])).toEqual([
      ['format_reward', 0.5],
      ['accuracy_reward', 1],
    ]);
    expect(rollout).toMatchObject({ reward: null, advantage: -0.25, answer: 'Ida Holm' });
    expect((await importOne(trl)).reward).toBe(1);
  });

  test('TRL’s step, which its trainer writes as text', async () => {
    const steps = ['7', '12', 'final', '', 7].map((step) => importOne({ ...trl, step }));
    const rollouts = await Promise.all(steps);
    expect(rollouts.map(({ step }) => step)).toEqual([7, 12, null, null, 7]);
    // Another step is another group; what counts none is kept as it was.
    expect(rollouts[0]!.groupId).toBe(rollouts[4]!.groupId);
    expect(rollouts[0]!.groupId).not.toBe(rollouts[1]!.groupId);
    expect(rollouts[2]!.origin?.fields['step']).toBe('final');
  });

  test('our own records come back as they are', async () => {
    const lines = ownLines();
    const rollouts = await rolloutsOf(new Blob([lines.join('\n')]));
    expect(rollouts).toEqual(lines.map((line): unknown => JSON.parse(line)));
    expect(rollouts.every(isOwnRollout)).toBe(true);
  });
});

describe('TRL parquet', () => {
  const rows = [trl, { ...trl, step: 8, accuracy_reward: 0, advantage: -0.5 }];
  const file = () =>
    new Blob([
      parquetWriteBuffer({
        columnData: [
          { name: 'step', data: rows.map((r) => BigInt(r.step as number)), type: 'INT64' },
          ...['prompt', 'completion', 'solution'].map((name) => ({
            name,
            data: rows.map((r) => r[name]),
            type: 'STRING' as const,
          })),
          ...['accuracy_reward', 'advantage'].map((name) => ({
            name,
            data: rows.map((r) => r[name]),
            type: 'DOUBLE' as const,
          })),
        ],
        rowGroupSize: 1,
      }),
    ]);

  test('rows read as the same records in JSON, over row groups', async () => {
    const read = await rolloutsOf(file());
    expect(read).toHaveLength(2);
    const expected = await rolloutsOf(blobOf(...rows));
    expect(read).toEqual(expected);
  });

  test('a stream of it is read too', async () => {
    const bytes = new Uint8Array(await file().arrayBuffer());
    expect(layouts(await readAll(inChunks(bytes, 64)))).toEqual(['trl', 'trl']);
  });

  test('a damaged one is one clear error', async () => {
    const bytes = new Uint8Array(await file().arrayBuffer());
    await expect(
      readAll(new Blob([bytes.slice(0, bytes.length - 9)]), 'a.parquet'),
    ).rejects.toThrow(/^a\.parquet is a parquet file that cannot be read: /);
  });
});

describe('broken lines are named, the rest loads', () => {
  const good = JSON.stringify(verl);

  test.each<[name: string, line: string | Uint8Array<ArrayBuffer>, reason: RegExp]>([
    ['half a line', good.slice(0, 80), /^is not JSON/],
    ['a list', '[1, 2]', /^holds a list; expected one object per line/],
    ['other keys', '{"idx": 1}', /^no rollout layout is known with the keys idx/],
    ['text missing', '{"input": "a", "output": 3}', /^"output" is number; expected text/],
    ['a later version', '{"format": "forage.rollout/2"}', /this version reads forage\.rollout\/1/],
    ['ours, broken', '{"format": "forage.rollout/1", "id": 3}', /^id: /],
    ['no UTF-8', Uint8Array.of(0x7b, 0xff, 0xfe), /not UTF-8/],
    [
      'too deep',
      `{"input":"","output":"","x":${'['.repeat(200_000)}`,
      /not JSON|nested too deeply/,
    ],
    // It can be parsed, and not written again.
    [
      'too deep to be kept',
      `{"input":"","output":"","x":${'['.repeat(6000)}${']'.repeat(6000)}}`,
      /^is nested too deeply/,
    ],
  ])('%s', async (_, line, reason) => {
    const items = await readAll(new Blob([good, '\n', line, '\n\n', good]));
    expect(items.map(({ kind, line: number }) => [kind, number])).toEqual([
      ['rollout', 1],
      ['fault', 2],
      ['rollout', 4],
    ]);
    const fault = items[1]!;
    expect(fault.kind === 'fault' && fault.reason).toMatch(reason);
  });

  test('NaN and Infinity, as Python writes them, are null; in texts they stay', async () => {
    const line = good
      .replace('"score":1', '"score":NaN')
      .replace('look it up', 'see -Infinity, NaN');
    const [item] = await readAll(new Blob([line]));
    expect(item).toMatchObject({ kind: 'rollout', rollout: { reward: null } });
    expect(item!.kind === 'rollout' && fullText(item!.rollout)).toContain('see -Infinity, NaN');
  });

  test('byte order mark, CRLF, blank lines and a missing last newline', async () => {
    const items = await readAll(new Blob([`\uFEFF${good}\r\n\r\n  \r\n${good}`]));
    expect(items.map(({ kind, line }) => [kind, line])).toEqual([
      ['rollout', 1],
      ['rollout', 4],
    ]);
  });

  test('a file of another kind is given up with one sentence', async () => {
    const garbage = new Blob(Array.from({ length: 2000 }, (_, i) => `row ${i}\n`));
    await expect(readAll(garbage, 'notes.txt')).rejects.toThrow(
      /^notes\.txt holds no rollouts in its first 1000 lines: line 1 is not JSON/,
    );
  });
});

test('chunks cut lines and characters anywhere', async () => {
  const text = Object.values(FOREIGN)
    .map((record) => `${JSON.stringify({ ...record, note: 'Ærø – 東京 🎈' })}\n`)
    .join('');
  const bytes = new TextEncoder().encode(text);
  const whole = await readAll(new Blob([bytes]));
  for (const size of [1, 7, 64, 4096]) expect(await readAll(inChunks(bytes, size))).toEqual(whole);
  expect(whole.at(-1)!.bytes).toBe(bytes.length);
});

test('breaking off closes the stream', async () => {
  let cancelled = false;
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode(`${JSON.stringify(verl)}\n`)),
    cancel: () => void (cancelled = true),
  });
  for await (const item of importRollouts(stream, 'endless')) if (item.line === 3) break;
  expect(cancelled).toBe(true);
});
