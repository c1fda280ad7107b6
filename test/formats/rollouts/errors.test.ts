import { describe, expect, test } from 'vitest';
import { inspectFile } from '../../evaluate/rollouts/inspect-file.ts';
import { rolloutMarkdown } from '../../../src/evaluate/rollouts/export/markdown.ts';
import { readFactsOf } from '../../../src/evaluate/rollouts/lint/facts.ts';
import { factsOfRow, rowOf } from '../../../src/evaluate/rollouts/row.ts';
import { statisticsOf } from '../../../src/evaluate/rollouts/statistics.ts';
import { isImportedRollout } from '../../../src/formats/rollouts/own-schema.ts';
import { blobOf, importOne, ownLines, rolloutsOf } from './helpers.ts';

/** A rollout that an error ended says nothing of the model: it is no wrong answer. */

const sample = (more: object) => ({
  id: 's',
  epoch: 1,
  input: 'Which town lies on the Tarn?',
  target: 'Albi',
  messages: [{ role: 'user', content: 'Which town lies on the Tarn?' }],
  scores: { match: { value: 'I' } },
  ...more,
});
const FAILED = sample({ error: { message: 'RateLimitError:\n429', traceback: 'Traceback' } });
const RIGHT = sample({
  messages: [
    { role: 'user', content: 'Which town lies on the Tarn?' },
    { role: 'assistant', content: 'Answer: Albi' },
  ],
  scores: { match: { value: 'C' } },
});

describe('a rollout that an error ended', () => {
  test('is in no score and no mean, and the file says so', async () => {
    const { statistics, outcomes, lint } = await inspectFile(blobOf(RIGHT, FAILED), 'f');
    expect(statistics).toMatchObject({
      rollouts: 2,
      scored: 1,
      unread: 0,
      em: { count: 1, share: 1 },
      answered: { count: 1, share: 1 },
      reward: { n: 1, mean: 1 },
      errors: { count: 1, first: 'RateLimitError: 429' },
    });
    expect(outcomes).toMatchObject({ error: 1 });
    expect(lint['answer-seen-not-given']).toBeUndefined();
    expect((await inspectFile(blobOf(RIGHT), 'f')).statistics.errors).toBeUndefined();
  });

  test('counts the same from its row, and is read again as our own line', async () => {
    const rollout = await importOne(FAILED);
    const facts = readFactsOf(rollout);
    expect(statisticsOf([factsOfRow(rowOf(rollout))])).toEqual(statisticsOf([facts]));
    expect(rollout.notScored).toBe('it ended in an error: RateLimitError: 429');
    expect(isImportedRollout(rollout)).toBe(true);
  });

  const verl = { input: 'Question: who?', output: '', gts: 'a', score: 0 };
  const verifiers = { example_id: 1, prompt: 'who?', completion: '', answer: 'a', reward: 0 };
  test.each<[object, string | undefined]>([
    [{ ...verifiers, error: 'ModelError()' }, 'ModelError()'],
    [{ ...verifiers, error: { error: 'ModelError', error_chain_str: 'x' } }, 'ModelError'],
    [{ ...verifiers, error: { chain: ['x'] } }, 'error'],
    [{ ...verifiers, error: true }, 'error'],
    [{ ...verifiers, errors: [{ message: 'lost' }, { message: 'late' }] }, 'lost'],
    [{ ...verifiers, errors: [] }, undefined],
    [{ ...verifiers, stop_condition: 'has_error' }, 'stop_condition is “has_error”'],
    [{ ...verl, status: 'failed' }, 'status is “failed”'],
    [{ ...verl, exception: 'Timeout' }, 'Timeout'],
    [{ ...verifiers, error: null }, undefined],
    [{ ...verifiers, error: {} }, undefined],
    [{ ...verl, error: 'None', stop_reason: 'stop' }, undefined],
    [{ ...verl, error: 0.25, termination: 'exceed available llm calls' }, undefined],
    [{ ...verl, stop_condition: 'max_turns_reached' }, undefined],
  ])('%j', async (record, error) => {
    const rollout = await importOne(record);
    expect(rollout.error).toBe(error);
    expect(readFactsOf(rollout).scores === null).toBe(error !== undefined);
  });

  test('of our own says so in its last event', async () => {
    const own = JSON.parse(ownLines()[0]!) as { events: object[] };
    const events = [
      ...own.events.slice(0, -1),
      { kind: 'stop', reason: 'error', detail: 'gone', t: 9 },
    ];
    const [rollout] = await rolloutsOf(blobOf({ ...own, events }));
    expect(rowOf(rollout!)).toMatchObject({
      outcome: 'error',
      error: 'gone',
      ended: null,
      notScored: 'it ended in an error: gone',
    });
    expect(rolloutMarkdown(rollout!)).toMatch(/it ended in an error\\?: gone/);
  });
});
