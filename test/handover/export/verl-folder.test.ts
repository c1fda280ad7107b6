import { readdirSync } from 'node:fs';
import { parquetReadObjects } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { Draws } from '../../../src/handover/environment/episodes.ts';
import { exportFolder, exportRefusals } from '../../../src/handover/export/export-folder.ts';
import type { FolderFile } from '../../../src/handover/export/parts/folder.ts';
import { readBundledFile } from '../../../src/handover/files/bundled.ts';
import { createCurriculum } from '../../../src/learn/curriculum/create.ts';
import { getTraining } from '../../../src/systems/index.ts';
import { changed, tinySource } from './source.ts';

const settings = changed('search/grpo', { steps: 4, heldOut: { questions: 3 } });
const source = tinySource(settings);
const verl = (of = source) => exportFolder(of, 'verl', { read: readBundledFile });

const contentOf = (files: readonly FolderFile[], path: string): string | Uint8Array => {
  const file = files.find((one) => one.path === path);
  if (!file) throw new Error(`the folder holds no ${path}`);
  return file.content;
};
interface Row {
  prompt: { role: string; content: string }[];
  reward_model: { ground_truth: string[] };
  extra_info: { index: bigint; split: string; place: bigint; question: string };
}
const rowsOf = async (files: readonly FolderFile[], path: string): Promise<Row[]> => {
  const bytes = contentOf(files, path);
  if (typeof bytes === 'string') throw new Error(`${path} is text`);
  return (await parquetReadObjects({ file: new Uint8Array(bytes).buffer })) as unknown as Row[];
};

describe('what verl refuses of the recipes', () => {
  it.each([
    ['search/grpo', []],
    ['search-r1/grpo', ['objective.aggregation']],
    ['kunlun-baize/dapo', []],
    ['r1-searcher/reinforce++', []],
    ['ur2/paper', ['start', 'objective.estimator']],
    ['ur2-released', ['start']],
  ])('%s: %j', (id, refused) => {
    const found = exportRefusals(tinySource(getTraining(id)), 'verl');
    expect(found.map(({ setting }) => setting)).toEqual(refused);
  });
});

describe('a folder for verl', () => {
  it('asks the questions that the environment draws, row by row', async () => {
    const rows = await rowsOf(await verl(), 'train.parquet');
    expect(rows).toHaveLength(4 * 8);
    const questions = source.questions.filter(({ split }) => split === 'train');
    const retriever = { search: () => Promise.reject(new Error('nothing is searched')) };
    const draws = new Draws(settings, 'run', () =>
      createCurriculum(settings, { questions, retriever }),
    );
    for (const [n, { prompt, reward_model, extra_info }] of rows.entries()) {
      const { question } = (await draws.at(n, 1 + Math.floor(n / 8))).drawn;
      expect(extra_info).toMatchObject({ split: 'train', place: BigInt(n), question: question.id });
      expect(prompt).toEqual([{ role: 'user', content: question.text }]);
      expect(reward_model.ground_truth).toEqual(question.answers);
    }
  });

  it('asks the held-out sample in its order, and has a row where there is none', async () => {
    const files = await verl();
    const held = String(contentOf(files, 'questions.jsonl'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string; split: string })
      .filter(({ split }) => split === 'dev');
    expect(held).toHaveLength(3);
    const rows = await rowsOf(files, 'val.parquet');
    expect(rows.map(({ extra_info }) => [extra_info.question, extra_info.place])).toEqual(
      held.map(({ id }, i) => [id, BigInt(i)]),
    );
    const none = tinySource(changed('search/grpo', { steps: 4, heldOut: { questions: 0 } }));
    expect(await rowsOf(await verl(none), 'val.parquet')).toHaveLength(1);
  });

  it('writes every argument of experiment.json as one override, and no other', async () => {
    const files = await verl();
    const { trainer } = JSON.parse(String(contentOf(files, 'experiment.json'))) as {
      trainer: { arguments: Record<string, unknown> };
    };
    const lines = String(contentOf(files, 'overrides.txt')).trim().split('\n');
    const read = Object.fromEntries(
      lines.map((line) => {
        const at = line.indexOf('=');
        return [line.slice(0, at), line.slice(at + 1)];
      }),
    );
    expect(Object.keys(read)).toHaveLength(lines.length);
    expect(new Set(Object.keys(read))).toEqual(
      new Set([...Object.keys(trainer.arguments), 'trainer.experiment_name']),
    );
    expect(read['trainer.experiment_name']).toBe('search-grpo-0');
    for (const [key, value] of Object.entries(trainer.arguments))
      if (typeof value === 'number') expect(Number(read[key])).toBe(value);
  });

  it('tells the agent loop which experiment it is, and which steps are made', async () => {
    const adapter = [
      { name: 'adapter_model.safetensors', bytes: new Uint8Array([1]) },
      { name: 'adapter_config.json', bytes: new TextEncoder().encode('{}') },
    ];
    const level = changed('search/grpo', { steps: 4, optimizer: { warmUpSteps: 0 } });
    const run = { id: 'mine', step: 3, curriculum: { drawn: 24 }, adapter };
    const files = await verl({ ...tinySource(level), run });
    const { hash } = JSON.parse(String(contentOf(files, 'experiment.json'))) as { hash: string };
    expect(contentOf(files, 'agent_loops.yaml')).toBe(
      [
        '- name: forage',
        '  _target_: forage_agent_loop.ForageAgentLoop',
        '  environment: http://127.0.0.1:8765',
        `  hash: "${hash}"`,
        '  first_step: 3',
        '',
      ].join('\n'),
    );
    const rows = await rowsOf(files, 'train.parquet');
    expect(rows.map(({ extra_info }) => Number(extra_info.place))).toEqual([
      24, 25, 26, 27, 28, 29, 30, 31,
    ]);
    const overrides = String(contentOf(files, 'overrides.txt'));
    expect(overrides).toContain('\nactor_rollout_ref.model.lora_adapter_path=adapter\n');
    expect(overrides).toContain('\ntrainer.total_training_steps=1\n');
  });

  it('leaves draws that depend on rollouts to the environment', async () => {
    const difficulty = changed('search/grpo', { steps: 2, curriculum: { system: { id: 'ur2' } } });
    const rows = await rowsOf(await verl(tinySource(difficulty)), 'train.parquet');
    expect(rows.map(({ extra_info }) => [extra_info.place, extra_info.question])).toEqual(
      Array.from({ length: 16 }, (_, i) => [BigInt(i), '']),
    );
  });

  it('copies every file of its folder, and a shell may start its scripts', async () => {
    const files = await verl();
    const copied = readdirSync('src/handover/files/verl').filter((name) => name !== '__pycache__');
    for (const name of copied)
      expect(files.find(({ path }) => path === name)).toMatchObject({
        executable: name.endsWith('.sh'),
      });
  });
});
