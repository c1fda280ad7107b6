import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readFactsOf } from '../../../src/evaluate/rollouts/lint/facts.ts';
import { LINTS } from '../../../src/evaluate/rollouts/lint/finding.ts';
import { lintRollout } from '../../../src/evaluate/rollouts/lint/index.ts';
import { outcomeOf } from '../../../src/evaluate/rollouts/taxonomy.ts';
import type { ImportedRollout } from '../../../src/formats/rollouts/shape/imported.ts';
import { rolloutsOf } from './helpers.ts';

/**
 * Files with the traits of public bug reports, and what a person reads in them. Twins of every trait are in
 * `other-systems.ts`, `whole-chats.test.ts` and `errors.test.ts`, for where the shared data is missing.
 */

const DATA = new URL('../../../../shared/data/', import.meta.url);
const missing = !existsSync(new URL('cases/', DATA));
if (missing) console.warn('skipped: needs ../shared/data/cases');

/** "Albi: EM 1, 2 searches, retrieved, right-with-evidence", and findings that say that the file is faulty. */
function readOf(rollout: ImportedRollout): string {
  const facts = readFactsOf(rollout);
  const faults = lintRollout(rollout).filter(({ code }) => LINTS[code].kind === 'fault');
  return [
    `${rollout.answer}: EM ${facts.scores?.em ?? '–'}`,
    `${facts.searches} searches`,
    facts.retrieved ? 'retrieved' : 'not retrieved',
    outcomeOf(facts),
    ...faults.map(({ code }) => code),
  ].join(', ');
}

const RIGHT = 'Albi: EM 1, 1 searches, retrieved, right-with-evidence';
const WRONG = 'Nice: EM 0, 1 searches, retrieved, retrieved-not-used';
const UNSEARCHED = 'Albi: EM 1, 0 searches, not retrieved, right-without-evidence';
const COMPUTED = '42: EM 1, 0 searches, not retrieved, right-without-evidence';
const SEARCHED_TOO = '42: EM 1, 1 searches, not retrieved, right-without-evidence';
const NONE = 'null: EM 0, 0 searches, not retrieved, no-answer';
const UNREAD = 'null: EM –, 0 searches, not retrieved, not-scored';

const CASES: Record<string, string[]> = {
  '04-harmony/verl-harmony.jsonl': [
    RIGHT,
    WRONG,
    RIGHT,
    'null: EM 0, 1 searches, retrieved, no-answer',
  ],
  '04-harmony/verl-harmony-stripped.jsonl': [RIGHT, WRONG, RIGHT],
  '04-harmony/messages-thinking.jsonl': [RIGHT],
  '04-harmony/responses-api.jsonl': [RIGHT],
  '05-think-unopened/gave-up.jsonl': [NONE],
  '05-think-unopened/cut-in-thought.jsonl': [NONE],
  '05-think-unopened/search-mention-opened.jsonl': [UNSEARCHED],
  '05-think-unopened/search-mention-unopened.jsonl': [UNSEARCHED],
  '05-think-unopened/box-opened.jsonl': [UNREAD],
  '05-think-unopened/box-unopened.jsonl': [UNREAD],
  '05-think-unopened/prose-opened.jsonl': [UNREAD],
  '05-think-unopened/prose-unopened.jsonl': [UNREAD],
  '05-think-unopened/hash-opened.jsonl': [NONE],
  '05-think-unopened/hash-unopened.jsonl': [NONE],
  '05-think-unopened/real-opened.jsonl': [RIGHT],
  '05-think-unopened/real-unopened.jsonl': [RIGHT],
  '05-think-unopened/multi-turn.jsonl': [RIGHT, 'null: EM 0, 1 searches, retrieved, no-answer'],
  '08-parallel-calls/anthropic.jsonl': [RIGHT.replace('1 searches', '2 searches')],
  '08-parallel-calls/chat.jsonl': [RIGHT.replace('1 searches', '3 searches')],
  '08-parallel-calls/chat-final-answer-call.jsonl': [SEARCHED_TOO],
  '08-parallel-calls/chat-python-only.jsonl': [COMPUTED],
  '08-parallel-calls/chat-python-search.jsonl': [SEARCHED_TOO],
  '08-parallel-calls/chat-search-python.jsonl': [SEARCHED_TOO],
  '08-parallel-calls/chat-search-only.jsonl': [SEARCHED_TOO],
  '08-parallel-calls/search-python-text.jsonl': [SEARCHED_TOO],
  '08-parallel-calls/json-python.jsonl': [COMPUTED],
  '08-parallel-calls/qwen3-coder-python.jsonl': [COMPUTED],
  '08-parallel-calls/qwen3-coder-xml.jsonl': [RIGHT],
  '08-parallel-calls/deepseek-text.jsonl': [RIGHT],
  '08-parallel-calls/trl-tools.jsonl': ['null: EM –, 2 searches, retrieved, not-scored'],
  '09-inspect-errors-epochs/errors.eval': [RIGHT, 'null: EM –, 1 searches, retrieved, error'],
  '09-inspect-errors-epochs/score-on-error.eval': [
    RIGHT,
    'null: EM –, 1 searches, retrieved, error',
  ],
  '09-inspect-errors-epochs/all-errors.eval': [
    'null: EM –, 0 searches, not retrieved, error',
    'null: EM –, 0 searches, not retrieved, error',
  ],
  '09-inspect-errors-epochs/limit.eval': [RIGHT, 'null: EM 0, 1 searches, retrieved, no-answer'],
  '16-search-agent-runs/tongyi-iter1.jsonl': [
    RIGHT.replace('1 searches', '2 searches'),
    WRONG.replace('1 searches', '2 searches'),
    'null: EM 0, 2 searches, retrieved, no-answer',
    'null: EM –, 2 searches, retrieved, error',
  ],
  '16-search-agent-runs/samples_nq_open.jsonl': [UNSEARCHED],
  '16-search-agent-runs/run_769.json': ['Albi: EM –, 1 searches, not retrieved, '],
  ...Object.fromEntries(
    [
      'role-environment',
      'role-ipython',
      'role-tool',
      'role-user-bare',
      'role-user-information',
      'role-user-result',
      'role-user-tool_response',
      'trl-user-information',
      'verifiers-user-information',
    ].map((name) => [`16-search-agent-runs/${name}.jsonl`, [RIGHT]]),
  ),
  '20-result-plain-answer/asked-in-answer.jsonl': [RIGHT],
  '20-result-plain-answer/verl.jsonl': [RIGHT, RIGHT, RIGHT, WRONG],
};

const read = async (path: string): Promise<ImportedRollout[]> =>
  rolloutsOf(new Blob([readFileSync(new URL(path, DATA))]), path.split('/').at(-1));

describe.skipIf(missing)('files with the traits of public bug reports', () => {
  test.each(Object.entries(CASES))('%s', async (path, reads) => {
    expect((await read(`cases/${path}`)).map(readOf)).toEqual(reads);
  });

  test('the question of a Harmony prompt is what its user asked', async () => {
    for (const name of ['verl-harmony', 'verl-harmony-stripped'])
      for (const { question } of await read(`cases/04-harmony/${name}.jsonl`))
        expect(question.text).toBe('Which town lies on the Tarn?');
  });

  test('rewards per token, and those that are no number', async () => {
    const rewards = async (path: string) => (await read(path)).map(({ reward }) => reward);
    expect(await rewards('cases/14-skyrl-token-rewards/token.jsonl')).toEqual([1, -0.5, 1.2]);
    expect(await rewards('cases/02-nan-infinity/nan-reward.jsonl')).toEqual([null, 1, null, 0]);
  });
});

const REACT = 'wiki-multihop/demonstrations.jsonl';
const lacks = !existsSync(new URL(REACT, DATA));
if (lacks) console.warn(`skipped: needs ../shared/data/${REACT}`);

test.skipIf(lacks)(
  'demonstrations in chats of ReAct are right, as the file itself says',
  async () => {
    const rollouts = await read(REACT);
    expect(rollouts).toHaveLength(641);
    const right = rollouts.map((rollout) => readFactsOf(rollout).scores?.em === 1);
    expect(right).toEqual(rollouts.map(({ origin }) => origin?.fields['em']));
    expect(rollouts.filter((rollout) => readFactsOf(rollout).searches === 0)).toEqual([]);
  },
);
