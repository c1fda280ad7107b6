import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { importRun } from '../../../src/formats/rollouts/run.ts';
import { readAll, rolloutsOf } from './helpers.ts';

/** Two rows of TRL's completions table, in every form that logging tools and pandas write tables in. */

const PROMPT = '<|im_start|>user\nQuestion: Which town?<|im_end|>\n<|im_start|>assistant\n';
const said = (answer: string): string => `<think>I look.</think>\n<answer>${answer}</answer>`;
const COLUMNS = ['step', 'prompt', 'completion', 'exact_reward', 'advantage'];
// TRL logs the step as text.
const ROWS: (string | number)[][] = [
  ['3', PROMPT, said('Albi'), 1, 0.7],
  ['3', PROMPT, said('Nice'), 0, -0.7],
];
const records = ROWS.map((row) => Object.fromEntries(COLUMNS.map((name, i) => [name, row[i]])));
const quoted = (value: unknown): string => `"${String(value).replaceAll('"', '""')}"`;
const csv = (delimiter: string): string =>
  [COLUMNS.join(delimiter), ...ROWS.map((row) => row.map(quoted).join(delimiter))].join('\r\n');

const TABLES: [string, string][] = [
  ['Weights & Biases', JSON.stringify({ columns: COLUMNS, data: ROWS })],
  ['pandas, split', JSON.stringify({ columns: COLUMNS, index: [0, 1], data: ROWS }, null, 1)],
  [
    'pandas, columns',
    JSON.stringify(
      Object.fromEntries(
        COLUMNS.map((name, i) => [name, Object.fromEntries(ROWS.map((row, j) => [j, row[i]]))]),
      ),
    ),
  ],
  [
    'lists by column',
    JSON.stringify(Object.fromEntries(COLUMNS.map((name, i) => [name, ROWS.map((row) => row[i])]))),
  ],
  [
    'the viewer of Hugging Face',
    JSON.stringify({ features: [], rows: records.map((row, i) => ({ row_idx: i, row })) }),
  ],
  ['CSV', csv(',')],
  ['TSV', `\uFEFF${csv('\t')}`],
];

describe.each(TABLES)('a table of %s', (_, text) => {
  it('gives its rollouts with step, reward and answer', async () => {
    const rollouts = await rolloutsOf(new Blob([text]));
    expect(
      rollouts.map(({ step, reward, advantage, answer, question }) => [
        step,
        reward,
        advantage,
        answer,
        question.text,
      ]),
    ).toEqual([
      [3, 1, 0.7, 'Albi', 'Which town?'],
      [3, 0, -0.7, 'Nice', 'Which town?'],
    ]);
  });
});

it('verl’s table of validation has a step per row, and its samples side by side', async () => {
  const columns = ['step', 'input_1', 'output_1', 'score_1', 'input_2', 'output_2', 'score_2'];
  const data = [10, 20].map((step) => [step, PROMPT, said('Albi'), 1, PROMPT, said('Nice'), 0]);
  const rollouts = await rolloutsOf(new Blob([JSON.stringify({ columns, data })]));
  expect(rollouts.map(({ step, reward, answer }) => [step, reward, answer])).toEqual([
    [10, 1, 'Albi'],
    [10, 0, 'Nice'],
    [20, 1, 'Albi'],
    [20, 0, 'Nice'],
  ]);
});

describe('cells of CSV', () => {
  const rows = (text: string) => readAll(new Blob([text]));

  it('are texts where the column is one, else what they say', async () => {
    const [first] = await rolloutsOf(
      new Blob([
        'question,response,answer,reward,acc,note\r\n1984,1984,1984,0.5,True,\r\nWho?,007,007,,nan,x',
      ]),
    );
    expect(first).toMatchObject({
      question: { text: '1984', answers: ['1984'] },
      reward: 0.5,
      origin: { fields: { acc: true, note: null } },
    });
  });

  it('may hold a chat, as JSON or as Python prints it', async () => {
    const chat = (text: string): string => `"${text.replaceAll('"', '""')}"`;
    const [json, python] = await rolloutsOf(
      new Blob([
        `prompt,completion,reward\n${chat('[{"role": "user", "content": "Who?"}]')},${chat('[{"role": "assistant", "content": "<answer>Ada</answer>"}]')},1\n`,
        `${chat("[{'role': 'user', 'content': 'Who?'}]")},${chat("[{'role': 'assistant', 'content': '<answer>Ada</answer>'}]")},1\n`,
      ]),
    );
    expect(json).toMatchObject({ question: { text: 'Who?' }, answer: 'Ada' });
    expect(python).toMatchObject({
      question: { text: 'Who?' },
      answer: 'Ada',
    });
  });

  it('that are too few are a fault of their row only', async () => {
    const items = await rows('prompt,completion,reward\nWho?,<answer>Ada</answer>,1\nWho?,x\n');
    expect(items.map(({ kind, line }) => [kind, line])).toEqual([
      ['rollout', 2],
      ['fault', 3],
    ]);
    expect(items[1]).toMatchObject({ reason: 'expected 3 fields, found 2' });
  });
});

it('a table of other columns is refused by what it is, and never sent on as passages', async () => {
  const refusal = async (text: string, name: string): Promise<string> => {
    try {
      for await (const item of importRun([{ name, blob: new Blob([text]) }], name))
        expect(item.kind).toBe('fault');
    } catch (error) {
      return (error as Error).message;
    }
    return '';
  };
  const table = JSON.stringify({ columns: ['epoch', 'loss'], data: [[1, 0.5]] });
  expect(await refusal(table, 'a.table.json')).toMatch(
    /^a\.table\.json holds no rollouts: .*epoch, loss/,
  );
  expect(await refusal('problem,answer\nWho?,Ada\n', 'simpleqa.csv')).toMatch(
    /^simpleqa\.csv holds questions with their answers/,
  );
  expect(await refusal('epoch,loss\n1,0.5\n2,0.25\n', 'log.csv')).not.toContain('--corpus');
});

const CASES = new URL('../../../../shared/data/cases/', import.meta.url);
const missing = !existsSync(CASES);
if (missing) console.warn('skipped: needs ../shared/data/cases');

describe.skipIf(missing)('files of public bug reports', () => {
  const files = (folder: string): string[] =>
    missing
      ? []
      : readdirSync(new URL(`${folder}/`, CASES))
          .filter((name) => name !== 'CASE.md')
          .map((name) => `${folder}/${name}`);
  const blob = (name: string): Blob => new Blob([readFileSync(new URL(name, CASES))]);

  it.each(files('15-wandb-table'))('%s', async (name) => {
    const rewards = (await rolloutsOf(blob(name))).map(({ reward }) => reward);
    expect(rewards).toEqual(name.includes('val_generations') ? [1, 0, 1, 1] : [1, 0]);
  });

  it.each(files('01-verl-default-str'))('%s', async (name) => {
    const rollouts = await rolloutsOf(blob(name));
    const golds = rollouts.map(({ question }) => question.answers.join('|'));
    const [gold] = name.includes('gts-null')
      ? ['']
      : /(?:one-element|score-string|v1-no-step)/.test(name)
        ? ['Albi']
        : [name.includes('long-long') ? "Albi|L'Albi" : 'Albi|City of Albi'];
    expect(golds).toEqual(golds.map(() => gold));
    if (rollouts.length === 3) expect(rollouts.map(({ reward }) => reward)).toEqual([1, 0, 1]);
  });

  it.each(['glued', 'comma-lines', 'python-repr', 'half-last', 'bom-crlf', 'line-sep'])(
    '17-containers/%s.jsonl gives its three rollouts, and a fault for half a line',
    async (name) => {
      const items = await readAll(blob(`17-containers/${name}.jsonl`));
      expect(items.map(({ kind }) => kind)).toEqual([
        'rollout',
        'rollout',
        'rollout',
        ...(name === 'half-last' ? ['fault'] : []),
      ]);
      expect(items.map(({ line }) => line)).toEqual(items.map((_, i) => i + 1));
    },
  );

  it('ids beyond 2^53 are two questions', async () => {
    const rollouts = await rolloutsOf(blob('17-containers/big-int.jsonl'));
    expect(rollouts.map(({ origin }) => origin?.fields['uid'])).toEqual([
      '9007199254740993',
      '9007199254740992',
    ]);
  });
});

describe('lines that are not JSON lines', () => {
  const [one, two] = records.map((record) => JSON.stringify(record));
  const python = (text: string): string =>
    text.replaceAll('"', "'").replaceAll('null', 'None').replaceAll('true', 'True');
  it.each([
    ['with a comma after each', `${one},\n${two},\n`],
    ['glued', `${one}${two}`],
    ['as Python prints them', `${python(one!)}\n${python(two!)}\n`],
  ])('%s', async (_, text) => {
    const items = await readAll(new Blob([text]));
    expect(
      items.map((item) => [item.kind === 'rollout' && item.rollout.answer, item.line]),
    ).toEqual([
      ['Albi', 1],
      ['Nice', 2],
    ]);
  });

  it('what is cut off after glued ones is a fault of its own', async () => {
    const items = await readAll(new Blob([`${one}${two}{"step": 4,\n${one}\n`]));
    expect(items.map(({ kind, line }) => [kind, line])).toEqual([
      ['rollout', 1],
      ['rollout', 2],
      ['fault', 3],
      ['rollout', 4],
    ]);
  });
});
