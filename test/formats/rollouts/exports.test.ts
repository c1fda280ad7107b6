import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { policyTokenizer as tokenizer } from '../../agent/tokenizer.ts';
import {
  writeRollout,
  type TokenTexts,
  type WrittenLayout,
} from '../../../src/formats/rollouts/write.ts';
import type { ImportedRollout } from '../../../src/formats/rollouts/shape/imported.ts';
import { readFactsOf } from '../../../src/evaluate/rollouts/lint/facts.ts';
import { lintRollout } from '../../../src/evaluate/rollouts/lint/index.ts';
import { ALL_TESTS } from '../../slow/slow.ts';
import { OTHER_SYSTEMS } from '../../fixtures/inspect/other-systems.ts';
import { FOREIGN, loggingBoard, r1Searcher } from '../../fixtures/inspect/records.ts';
import { blobOf, importOne, ownLines, R1_SEARCHER_FILES, rolloutsOf } from './helpers.ts';
import { loadBoard, loadVerlViewer } from './loaders.ts';

const texts: TokenTexts = (ids) => ids.map((id) => tokenizer.decode([id]));

const own = (): Promise<ImportedRollout[]> => rolloutsOf(new Blob([ownLines().join('\n')]), 'f');

const written = (
  rollouts: readonly ImportedRollout[],
  layout: WrittenLayout,
  spell?: TokenTexts,
): string => rollouts.map((rollout) => `${writeRollout(rollout, layout, spell)}\n`).join('');

/** What the inspector says of a rollout, and must say again of what was exported. */
const said = (rollout: ImportedRollout): unknown => {
  const { scores, retrieved, answered, unread } = readFactsOf(rollout);
  // An export has no events: it counts the queries that were written, those that STIE refused too.
  const { events: _, ...withoutEvents } = rollout;
  const { searches } = readFactsOf(withoutEvents);
  return {
    question: [rollout.question.id, rollout.question.text, rollout.question.answers],
    answer: rollout.answer,
    reward: rollout.reward,
    step: rollout.step,
    judge: rollout.judge,
    facts: { scores, searches, retrieved, answered, unread },
    findings: [...new Set(lintRollout(rollout).map(({ code }) => code))].sort(),
  };
};

async function readBack(rollouts: readonly ImportedRollout[], file: string): Promise<void> {
  const back = await rolloutsOf(new Blob([file]), 'f');
  expect(back.map(said)).toEqual(rollouts.map(said));
  const groups = (list: readonly ImportedRollout[]): number =>
    new Set(list.map(({ groupId }) => groupId)).size;
  expect(groups(back)).toBe(groups(rollouts));
}

/** By name: rollouts of every layout that is read. */
const sources = async (): Promise<Record<string, ImportedRollout[]>> => ({
  ours: await own(),
  ...Object.fromEntries(
    await Promise.all(
      [...Object.entries(FOREIGN), ...Object.entries(OTHER_SYSTEMS).map(([k, [r]]) => [k, r])].map(
        async ([name, record]) => [name, await rolloutsOf(blobOf(record), 'f')],
      ),
    ),
  ),
});

describe('every export says on reading back what the rollout said', () => {
  test.each(['verl', 'rl-logging-board'] as const)('as %s', async (layout) => {
    for (const [name, rollouts] of Object.entries(await sources())) {
      if (rollouts.some(({ origin }) => origin?.layout === layout)) continue;
      await expect(readBack(rollouts, written(rollouts, layout)), name).resolves.toBeUndefined();
    }
  });

  test('ours as RLLoggingBoard with its tokens: they come back, each with its numbers', async () => {
    const rollouts = await own();
    const file = written(rollouts, 'rl-logging-board', texts);
    await readBack(rollouts, file);
    const back = await rolloutsOf(new Blob([file]), 'f');
    // The first one has a query that was refused.
    const searches = [rollouts[0]!, back[0]!].map((one) => readFactsOf(one).searches);
    expect(searches).toEqual([4, 5]);
    for (const [i, rollout] of rollouts.entries()) {
      const from = (list: ImportedRollout) =>
        list.segments
          .filter(({ source, role }) => source === 'policy' || role === 'result')
          .map(({ role, text, ids, logprobs }) => ({ role, text, ids, logprobs }));
      const nulls = rollout.segments.map((segment) => ({
        ...segment,
        logprobs: segment.logprobs ?? segment.ids!.map(() => null),
      }));
      expect(from(back[i]!)).toEqual(from({ ...rollout, segments: nulls }));
    }
  });
});

describe('RLLoggingBoard’s loader', () => {
  /** The lines of its README and samples, shortened: the replay takes what the tool takes. */
  test('takes its own examples, and refuses what it refuses', () => {
    const line = {
      prompt: 'Write a line.',
      response: 'so<EOD>',
      response_tokens: ['so', '<EOD>', '<PAD>'],
      logprobs: [-4.8, -1],
      ref_logprobs: [-4.5, -1],
      values: [-0.6, 0],
      token_rewards: [0.1, 0],
      reward: 0,
      step: 4,
    };
    const { steps, errors } = loadBoard(JSON.stringify(line));
    expect(errors).toEqual([]);
    expect(steps.get(4)!.logRatios[0]![0]).toBeCloseTo(-0.3, 12);
    expect(() => loadBoard(JSON.stringify({ ...line, step: null }))).toThrow(
      'No log file(s) found',
    );
    expect(() => loadBoard(JSON.stringify({ ...line, reward: null }))).toThrow('sum of rewards');
    expect(
      loadBoard(`${JSON.stringify(line)}\n${JSON.stringify({ ...line, logprobs: [null, 1] })}`)
        .errors,
    ).toHaveLength(1);
  });

  test('takes every rollout that we write, with a length for ours', async () => {
    for (const [name, rollouts] of Object.entries(await sources())) {
      const board = loadBoard(written(rollouts, 'rl-logging-board', texts));
      expect(board.errors, name).toEqual([]);
      const loaded = [...board.steps.values()];
      expect(loaded.reduce((sum, { lists }) => sum + lists['prompt']!.length, 0)).toBe(
        rollouts.length,
      );
      if (name === 'ours') expect(loaded.flatMap(({ lengths }) => lengths)).toHaveLength(10);
    }
  });

  test('all in one file: lists of a step are equally long', async () => {
    const all = Object.values(await sources())
      .flat()
      .filter(({ origin }) => origin?.layout !== 'rl-logging-board');
    expect(loadBoard(written(all, 'rl-logging-board', texts)).errors).toEqual([]);
  });

  test('the tokens are the response, the columns as long as the tokens', async () => {
    for (const rollout of await own()) {
      const line = JSON.parse(writeRollout(rollout, 'rl-logging-board', texts)) as Record<
        string,
        unknown[]
      >;
      const tokens = line['response_tokens'] as string[];
      expect(tokens.join('')).toBe(line['response']);
      for (const key of ['response_ids', 'logprobs', 'entropies', 'loss_mask'])
        expect(line[key]).toHaveLength(tokens.length);
    }
  });

  test('a step and a reward that nobody stated are written for the loader, and read as unknown', async () => {
    const rollout = await importOne(r1Searcher);
    const line = JSON.parse(writeRollout(rollout, 'rl-logging-board')) as object;
    expect(line).toMatchObject({ step: 0, reward: 0, unstated: ['step', 'reward'] });
    expect(await importOne(line)).toMatchObject({ step: null, reward: null });
  });

  test('log-probabilities of a reference with gaps do not stop it', async () => {
    const { response_tokens: tokens, ...rest } = loggingBoard;
    const gaps = (tokens as string[]).map((_, i) => (i % 2 === 0 ? -1 : null));
    const read = await importOne({ ...rest, response_tokens: tokens, ref_logprobs: gaps });
    const foreign = { ...read, origin: { ...read.origin!, layout: 'verl' as const } };
    const line = writeRollout(foreign, 'rl-logging-board');
    expect(loadBoard(line).errors).toEqual([]);
    const back = await importOne(JSON.parse(line));
    expect(back.segments.flatMap(({ refLogprobs }) => refLogprobs ?? [])).toEqual(gaps);
  });
});

describe('verl’s viewer', () => {
  test('opens files that are named by their step', async () => {
    for (const [name, rollouts] of Object.entries(await sources())) {
      const [samples] = loadVerlViewer({ '12.jsonl': written(rollouts, 'verl') });
      expect(samples, name).toHaveLength(rollouts.length);
      for (const [i, sample] of samples!.entries()) {
        for (const key of ['input', 'output', 'score', 'step'])
          if (name === 'ours') expect(sample[key]).toBeTypeOf('string');
        expect(`${sample['input']} ${sample['question']}`).toContain(rollouts[i]!.question.text);
      }
    }
    expect(() => loadVerlViewer({ 'rollouts-500.jsonl': '' })).not.toThrow();
    expect(() => loadVerlViewer({ 'a.jsonl': '', '1.jsonl': '' })).toThrow('int()');
  });
});

describe('questions without a prompt', () => {
  const many = (n: number) =>
    rolloutsOf(
      blobOf(
        ...Array.from({ length: n }, (_, i) => ({ ...r1Searcher, question: `Question ${i}?` })),
      ),
      'f',
    );

  test.each(['verl', 'rl-logging-board'] as const)(
    'stay as many as they were: %s',
    async (layout) => {
      const rollouts = await many(20);
      const back = await rolloutsOf(new Blob([written(rollouts, layout)]), 'f');
      expect(new Set(back.map(({ question }) => question.id)).size).toBe(20);
      expect(new Set(back.map(({ groupId }) => groupId)).size).toBe(20);
      expect(back.map(({ question }) => question)).toEqual(
        rollouts.map(({ question }) => question),
      );
    },
  );
});

for (const path of R1_SEARCHER_FILES) {
  const file = path.pathname.split('/').at(-1) ?? '';
  const missing = !existsSync(path);
  if (missing) console.warn(`skipped: needs ../shared/data/r1-searcher/${file}`);
  test.skipIf(missing).each(['verl', 'rl-logging-board'] as const)(
    `${file}: read back as %s, every number stays`,
    async (layout) => {
      const all = await rolloutsOf(new Blob([readFileSync(path)]), 'f');
      const rollouts = all.filter((_, i) => ALL_TESTS || i % 3 === 0);
      const out = written(rollouts, layout);
      await readBack(rollouts, out);
      if (layout === 'verl')
        expect(loadVerlViewer({ '0.jsonl': out })[0]).toHaveLength(rollouts.length);
      else expect(loadBoard(out).errors).toEqual([]);
    },
  );
}
