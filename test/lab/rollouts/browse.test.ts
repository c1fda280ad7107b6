import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Rollout } from '../../../src/records/rollout.ts';
import { getTraining } from '../../../src/systems/index.ts';
import { inspectFile } from '../../evaluate/rollouts/inspect-file.ts';
import { BOOKMARK } from '../../../src/lab/contract/records/rollout-files.ts';
import { RolloutsDatabase } from '../../../src/lab/rollouts/database.ts';
import { RolloutsHost } from '../../../src/lab/rollouts/host.ts';
import { RolloutsStore } from '../../../src/lab/rollouts/store.ts';
import { runFileId, type RunSource } from '../../../src/lab/rollouts/own-runs.ts';
import type { Browsed, BrowseQuery } from '../../../src/lab/contract/rollouts.ts';
import { whyNothingShared } from '../../../src/ui/rollouts/nothing-shared.ts';
import { r1Searcher, verl } from '../../fixtures/inspect/records.ts';
import { policyTokenizer as tokenizer } from '../../agent/tokenizer.ts';
import { blobOf, ownLines } from '../../formats/rollouts/helpers.ts';

let store: RolloutsStore;
let host: RolloutsHost;
beforeEach(() => {
  const database = new RolloutsDatabase('test', { indexedDB: new IDBFactory(), IDBKeyRange });
  store = new RolloutsStore(database);
  host = new RolloutsHost(store);
});

const nothing = (): void => undefined;
const ALL: BrowseQuery = { filter: '', sort: null, group: [] };

/** Two steps of two questions with three rollouts each; the second question's rewards are all 0. */
const records = [1, 2].flatMap((step) =>
  ['Who wrote Low Tide?', 'Who wrote High Tide?'].flatMap((question, q) =>
    [0, 1, 2].map((i) => ({
      ...verl,
      input: `Question: ${question}\n`,
      output: `<think>${'so '.repeat(i)}</think><answer>${q === 0 && i === 1 ? 'Ida Holm' : 'nobody'}</answer>`,
      score: q === 0 && i === 1 ? 1 : 0,
      step,
    })),
  ),
);

const imported = async (source: Blob, name = 'a.jsonl'): Promise<string> => {
  const outcome = await host.importFile('import', source, name, nothing);
  if (outcome.status !== 'ready') throw new Error(outcome.status);
  return outcome.file.id;
};

const ready = (browsed: Browsed) => {
  if (browsed.status !== 'ready') throw new Error(browsed.status);
  return browsed;
};

test('files read as one keep their names, and columns without a value are named', async () => {
  const [a, b] = [
    await imported(blobOf(...records), 'a.jsonl'),
    await imported(blobOf(...records.slice(0, 6)), 'b.jsonl'),
  ];
  const parts: Blob[] = [];
  for (const [id, count] of [
    [a, 12],
    [b, 6],
  ] as const) {
    const all = Uint32Array.from({ length: count }, (_, at) => at);
    const part = await host.exportRows('e', id, all, 'forage', []);
    if (part) parts.push(part, new Blob(['\n']));
  }
  const joined = await imported(new Blob(parts), 'a.jsonl + b.jsonl');
  const one = ready(await host.browse('b', joined, ALL));
  expect(one.total).toBe(18);
  expect(one.runs).toBe(2);
  const rows = await host.rowsAt(joined, [...one.order]);
  const runs = rows.map(({ row }) => row.run);
  expect(runs.filter((run) => run === 'a.jsonl')).toHaveLength(12);
  expect(runs.filter((run) => run === 'b.jsonl')).toHaveLength(6);
  // What both know of a rollout is the same as before.
  const [before] = await host.rowsAt(b, [0]);
  const after = rows.find(({ row }) => row.run === 'b.jsonl');
  expect(after?.row.numbers).toEqual(before?.row.numbers);

  expect(one.empty).toContain('judge');
  expect(one.empty).toContain('tags');
  for (const name of ['question', 'em', 'why', 'reward']) expect(one.empty).not.toContain(name);
});

describe('a selection', () => {
  test('says what the filter compares and the file does not know', async () => {
    const id = await imported(blobOf(...records));
    const { order, unknown } = ready(
      await host.browse('b', id, { ...ALL, filter: 'em = 0 and recall = 1' }),
    );
    expect(order).toHaveLength(0);
    expect(unknown).toMatchObject([{ field: 'recall', rows: 12, of: 12 }]);
    expect(ready(await host.browse('b', id, { ...ALL, filter: 'em = 0' })).unknown).toEqual([]);
  });

  test('is positions in the wanted order, those without a value last either way', async () => {
    const id = await imported(blobOf(...records, { ...verl, score: null }));
    const browse = async (query: Partial<BrowseQuery>) => [
      ...ready(await host.browse('b', id, { ...ALL, ...query })).order,
    ];
    expect(await browse({})).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    const sort = (descending: boolean) => browse({ sort: { column: 'reward', descending } });
    expect(await sort(true)).toEqual([1, 7, 0, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12]);
    expect(await sort(false)).toEqual([0, 2, 3, 4, 5, 6, 8, 9, 10, 11, 1, 7, 12]);
    expect(await browse({ filter: 'reward = 1 and step = 2' })).toEqual([7]);
    // Text of segments decides here, not the row.
    expect(await browse({ filter: 'think contains "so so"' })).toEqual([2, 5, 8, 11]);
  });

  test('rows are handed out by position and found by id', async () => {
    const id = await imported(blobOf(...records));
    const rows = await host.rowsAt(id, [7, 0, 99]);
    expect(rows.map(({ position, line }) => [position, line])).toEqual([
      [7, 8],
      [0, 1],
    ]);
    const found = await host.find(id, rows[0]!.row.id);
    expect(found?.position).toBe(7);
    expect(await host.find(id, 'none')).toBeNull();
    expect(await host.ids(id, [7, 0])).toEqual(rows.map(({ row }) => row.id));
  });

  test('in groups: nested, with means, and a group whose rewards are equal is flat', async () => {
    const id = await imported(blobOf(...records));
    const { order, groups } = ready(
      await host.browse('b', id, { ...ALL, group: ['step', 'question'] }),
    );
    expect([...order]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(
      groups.map(({ level, value, from, count, reward, flat }) => [
        level,
        value,
        from,
        count,
        reward,
        flat,
      ]),
    ).toEqual([
      [0, 1, 0, 6, 1 / 6, false],
      [1, 'Who wrote Low Tide?', 0, 3, 1 / 3, false],
      [1, 'Who wrote High Tide?', 3, 3, 0, true],
      [0, 2, 6, 6, 1 / 6, false],
      [1, 'Who wrote Low Tide?', 6, 3, 1 / 3, false],
      [1, 'Who wrote High Tide?', 9, 3, 0, true],
    ]);
    expect(new Set(groups.map(({ key }) => key)).size).toBe(groups.length);
  });

  test('has the statistics that the file has, and a part of it its own', async () => {
    const source = new Blob([`${ownLines().join('\n')}\n`, await blobOf(...records).text()]);
    const id = await imported(source);
    const whole = ready(await host.browse('b', id, ALL));
    const rollouts = await inspectFile(source, 'a.jsonl');
    expect(whole.statistics).toEqual(rollouts.statistics);
    expect(whole.outcomes).toEqual(rollouts.outcomes);
    const right = ready(await host.browse('b', id, { ...ALL, filter: 'em = 1' }));
    expect(right.statistics.em).toEqual({ count: right.order.length, share: 1 });
    expect(right.order.length).toBe(rollouts.statistics.em.count);
  });

  test('facets are counted over it', async () => {
    const id = await imported(blobOf(...records));
    const { values, all } = (await host.facets('f', id, 'em = 1', 'step'))!;
    expect(all).toBe(2);
    expect(values).toEqual([
      { value: 1, count: 1, reward: 1, em: 1, flat: false },
      { value: 2, count: 1, reward: 1, em: 1, flat: false },
    ]);
    expect((await host.facets('f', id, 'em =', 'step'))!.values).toEqual([]);
    const [stopped, counted] = await Promise.all([
      host.facets('f', id, '', 'step'),
      host.facets('f', id, '', 'question'),
    ]);
    expect(stopped).toBeNull();
    expect(counted!.all).toBeGreaterThan(0);
  });

  test('bookmarks and tags can be asked for at once', async () => {
    const id = await imported(blobOf(...records));
    await host.rowsAt(id, [0]);
    const [rollout] = await host.ids(id, [4]);
    await host.mark('a.jsonl', rollout!, { bookmarked: true, tags: ['odd'] });
    for (const filter of [`tags has "${BOOKMARK}"`, 'tags has odd'])
      expect([...ready(await host.browse('b', id, { ...ALL, filter })).order]).toEqual([4]);
  });

  test('a fault in the filter comes back with its place', async () => {
    const id = await imported(blobOf(...records));
    const fault = await host.browse('b', id, { ...ALL, filter: 'em = 0 and' });
    expect(fault).toMatchObject({ status: 'fault', position: 10, length: 0 });
  });

  test('while a file is read, what is there is shown, and the rest afterwards', async () => {
    const many = Array.from({ length: 300 }, (_, i) => ({ ...verl, step: i }));
    let early = -1;
    const seen: Promise<void>[] = [];
    const outcome = await host.importFile('i', blobOf(...many), 'many', ({ fileId, chunks }) => {
      if (chunks !== 1) return;
      seen.push(
        // Two that ask at once must not both add what is new.
        Promise.all([host.browse('b', fileId, ALL), host.facets('f', fileId, '', 'step')]).then(
          ([browsed, facets]) => {
            early = ready(browsed).total;
            expect(facets!.values.every(({ count }) => count === 1)).toBe(true);
          },
        ),
      );
    });
    await Promise.all(seen);
    expect(early).toBeGreaterThanOrEqual(16);
    if (outcome.status !== 'ready') throw new Error(outcome.status);
    expect(ready(await host.browse('b', outcome.file.id, ALL)).total).toBe(300);
  });
});

describe('export of a selection', () => {
  const text = async (format: Parameters<RolloutsHost['exportRows']>[3], columns: string[]) => {
    const hostile = '=1+1, "a|b" <img src=x> $x_1$ \\ 50 %';
    const record = { ...verl, output: `<answer>${hostile}</answer>` };
    const id = await imported(blobOf(verl, record));
    const order = Uint32Array.from([1]);
    return (await host.exportRows('e', id, order, format, columns))!.text();
  };

  test('CSV quotes, and no cell is a formula', async () => {
    expect(await text('csv', ['answer', 'reward', 'judge'])).toBe(
      'answer,reward,judge\r\n"\'=1+1, ""a|b"" <img src=x> $x_1$ \\ 50 %",1,\r\n',
    );
  });

  test('Markdown and LaTeX hold the same text, escaped', async () => {
    const markdown = await text('markdown', ['answer', 'reward']);
    expect(markdown.split('\n')[2]).toBe(
      String.raw`| =1+1, "a\|b" \<img src=x\> $x\_1$ \\ 50 % | 1 |`,
    );
    const latex = await text('latex', ['answer', 'cover-em']);
    expect(latex).toContain(String.raw`\begin{tabular}{lr}`);
    expect(latex).toContain(
      String.raw`=1+1, "a\textbar{}b" \textless{}img src=x\textgreater{} \$x\_1\$ \textbackslash{} 50 \% & 0 \\`,
    );
  });

  test('an outcome brings what called it right or wrong', async () => {
    const judged = { ...r1Searcher, pred_ans: 'nobody', gpt4o_output: 'True' };
    const id = await imported(blobOf(judged, { ...verl, output: '<answer>nobody</answer>' }));
    const order = Uint32Array.from([0, 1]);
    const csv = await (await host.exportRows('e', id, order, 'csv', ['em', 'outcome']))!.text();
    const [head, first, second] = csv.split('\r\n');
    expect(head).toBe('em,outcome,outcome-by');
    expect(first).toMatch(/^0,right-.*,judge$/);
    expect(second).toMatch(/^0,no-search,em$/);
  });

  test('rollouts come back through the layout’s own importer', async () => {
    const id = await imported(blobOf(...records));
    const order = Uint32Array.from([7, 1]);
    const blob = await host.exportRows('e', id, order, 'verl', []);
    const again = await imported(blob!, 'b.jsonl');
    const rows = await host.rowsAt(again, [0, 1]);
    expect(rows.map(({ row }) => [row.numbers.step, row.numbers.reward, row.answer])).toEqual([
      [2, 1, 'Ida Holm'],
      [1, 1, 'Ida Holm'],
    ]);
  });

  test('a layout that shows tokens asks for each of the policy’s once; none for a policy that is not there', async () => {
    const id = await imported(new Blob([`${ownLines().join('\n')}\n`]));
    const order = Uint32Array.from([0, 1, 2]);
    const asked: number[] = [];
    const spell = (name: string, ids: number[]) => {
      expect(name).toBe('baize-mini');
      asked.push(...ids);
      return Promise.resolve(ids.map((one) => tokenizer.decode([one])));
    };
    const lines = async (give: typeof spell | (() => Promise<null>)) => {
      const blob = await host.exportRows('e', id, order, 'rl-logging-board', [], give);
      const text = await blob!.text();
      return text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { response: string; response_tokens?: string[] });
    };
    for (const { response, response_tokens: tokens } of await lines(spell))
      expect(tokens!.join('')).toBe(response);
    expect(new Set(asked).size).toBe(asked.length);
    for (const line of await lines(() => Promise.resolve(null)))
      expect(line.response_tokens).toBeUndefined();
  });
});

describe('rollouts of a training run', () => {
  const source = (lines: Blob): RunSource => ({
    runs: () => Promise.resolve([{ id: 'r1', name: 'first', step: 2, updatedAt: '' }]),
    steps: () => {
      throw new Error('only its lines are read');
    },
    lines: () => Promise.resolve(lines),
  });

  test('are a file of their own, which a second reading replaces', async () => {
    const ten = new Blob([`${ownLines().join('\n')}\n`]);
    const one = new RolloutsHost(store, source(ten));
    const first = await one.importRun('i', 'r1', nothing);
    expect(first).toMatchObject({
      status: 'ready',
      file: { id: runFileId('r1'), name: 'run first', rollouts: 10 },
    });
    const two = new RolloutsHost(store, source(new Blob([ten, ten])));
    await two.browse('b', runFileId('r1'), ALL);
    await two.importRun('i', 'r1', nothing);
    expect((await two.files()).map(({ rollouts }) => rollouts)).toEqual([20]);
    expect(ready(await two.browse('b', runFileId('r1'), ALL)).total).toBe(20);
  });

  const { preset, objective } = getTraining('kunlun-baize/dapo');

  test('bring the settings of the run, and so does what is exported of them', async () => {
    const lines = ownLines().map((line) => {
      const rollout = JSON.parse(line) as Rollout;
      return `${JSON.stringify({ ...rollout, training: { preset, objective } })}\n`;
    });
    const one = new RolloutsHost(store, source(new Blob(lines)));
    await one.importRun('i', 'r1', nothing);
    const [row] = await one.rows(runFileId('r1'));
    const reading = await one.read(runFileId('r1'), row!.row.id);
    expect(reading?.loss).toEqual({ preset, objective });
    const file = await one.exportRows('e', runFileId('r1'), Uint32Array.of(0), 'forage', []);
    const elsewhere = await imported(file!, 'sent.jsonl');
    expect((await host.read(elsewhere, row!.row.id))?.loss).toEqual({ preset, objective });
  });

  test('that were read before they carried settings are given those of the run', async () => {
    const loss = { preset, objective: { ...objective, estimator: 'grpo' as const } };
    let asked = 0;
    const runs = () => {
      asked += 1;
      return Promise.resolve([{ id: 'r1', name: 'first', step: 2, updatedAt: '', loss }]);
    };
    const one = new RolloutsHost(store, {
      ...source(new Blob([`${ownLines().join('\n')}\n`])),
      runs,
    });
    await one.importRun('i', 'r1', nothing);
    const [row] = await one.rows(runFileId('r1'));
    expect((await one.read(runFileId('r1'), row!.row.id))?.loss).toEqual(loss);
    // A file of somebody else's has no run to ask.
    const foreign = await imported(blobOf(verl), 'verl.jsonl');
    const [other] = await one.rows(foreign);
    asked = 0;
    expect((await one.read(foreign, other!.row.id))?.loss).toBeNull();
    expect(asked).toBe(0);
  });

  test('that are not stored any more are said to be gone', async () => {
    const one = new RolloutsHost(store, source(new Blob([])));
    expect(await one.importRun('i', 'r1', nothing)).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('No rollouts of “first”'),
    });
  });
});

test('a comparison carries the questions’ texts', async () => {
  const a = await imported(blobOf(...records));
  const b = await imported(
    blobOf(...records.map((record) => ({ ...record, output: '<answer>Ida Holm</answer>' }))),
    'b.jsonl',
  );
  const compared = await host.compare(a, b, 'em');
  expect(compared.gained).toHaveLength(2);
  expect(compared.gained.map(({ questionId }) => compared.texts[questionId])).toEqual([
    'Who wrote Low Tide?',
    'Who wrote High Tide?',
  ]);
});

test('a comparison by a score that one file was read too early for says which, and what to do', async () => {
  const [a, b] = [await imported(blobOf(verl)), await imported(blobOf(verl), 'b.jsonl')];
  const early = new RolloutsHost(
    new Proxy(store, {
      get(target, name) {
        if (name === 'rows')
          return async (fileId: string, from?: number) => {
            const rows = structuredClone(await target.rows(fileId, from));
            for (const { row } of fileId === b ? rows : [])
              for (const number of Object.keys(row.numbers))
                if (number.endsWith('.r1-searcher')) delete row.numbers[number as 'em.r1-searcher'];
            return rows;
          };
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    }),
  );
  const compared = await early.compare(a, b, 'em.r1-searcher');
  expect(compared.noScore).toEqual({ a: null, b: 'older' });
  expect(whyNothingShared(compared)).toBe(
    'B was imported before this score existed; open it again to compute it',
  );
  expect((await early.compare(a, b, 'em')).noScore).toEqual({ a: null, b: null });
  expect((await early.compare(a, b, 'judge')).noScore).toEqual({
    a: 'no-verdict',
    b: 'no-verdict',
  });
});
