import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseExperiment } from '../../../src/handover/environment/experiment.ts';
import { Draws } from '../../../src/handover/environment/episodes.ts';
import type { ExperimentFile } from '../../../src/handover/export/parts/experiment.ts';
import {
  ExportRefused,
  exportFolder,
  exportRefusals,
} from '../../../src/handover/export/export-folder.ts';
import type { FolderFile } from '../../../src/handover/export/parts/folder.ts';
import { readBundledFile } from '../../../src/handover/files/bundled.ts';
import { createCurriculum } from '../../../src/learn/curriculum/create.ts';
import { getTraining, TRAININGS } from '../../../src/systems/index.ts';
import { sha256 } from '../../../src/base/hash.ts';
import { changed, tinySource } from './source.ts';

const read = readBundledFile;
const textOf = (files: readonly FolderFile[], path: string): string => {
  const content = files.find((file) => file.path === path)?.content;
  if (typeof content !== 'string') throw new Error(`${path} is no text of the folder`);
  return content;
};
const jsonOf = (files: readonly FolderFile[]) =>
  JSON.parse(textOf(files, 'experiment.json')) as ExperimentFile;
const linesOf = (files: readonly FolderFile[], path: string) =>
  textOf(files, path)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('what TRL refuses of the recipes', () => {
  it.each([
    ['search/grpo', [], []],
    ['search-r1/grpo', [], []],
    [
      'kunlun-baize/whole',
      ['router.train', 'warmUp', 'dynamicSampling'],
      ['dynamic-sampling', 'router', 'warm-up'],
    ],
    ['kunlun-baize/dapo', ['dynamicSampling'], ['dynamic-sampling']],
    ['r1-searcher/reinforce++', ['objective.estimator'], []],
    ['ur2/paper', ['start', 'objective.estimator'], []],
    ['ur2-released', ['start', 'objective.estimator'], []],
    ['step-search/grpo', ['objective.credit'], ['credit']],
    ['in-forage/grpo', [], []],
    ['deep-diver/grpo', ['stages'], []],
    ['smart-rag/reset', ['overrides.system'], []],
    ['zero-search/as-released', ['curriculum.system'], []],
    ['verl-tool/dapo', ['objective.rules.finished-only', 'dynamicSampling'], []],
  ] as const)('%s: %j', async (id, settings, without) => {
    const source = tinySource(getTraining(id));
    expect(exportRefusals(source, 'trl').map(({ setting }) => setting)).toEqual(settings);
    if (settings.length > 0) {
      const exported = exportFolder(source, 'trl', { read });
      await expect(exported).rejects.toThrow(ExportRefused);
      await expect(exported).rejects.toThrow(settings[0]);
    }
    if (settings.length === without.length) {
      const files = await exportFolder(source, 'trl', { read, without });
      expect(jsonOf(files).without).toEqual(without);
      expect(jsonOf(files).settings.dynamicSampling).toBeNull();
    }
  });

  it.each(['ex-search/em', 'tool-star/dpo', 'start/hint-rft', 'cir/stages'])(
    'refuses %s, whose stages the trainers elsewhere cannot follow',
    (id) => {
      const refused = exportRefusals(tinySource(getTraining(id)), 'trl');
      expect(refused.some(({ setting }) => setting.startsWith('stages.'))).toBe(true);
    },
  );

  it('says of every training what it refuses, and refuses none without a word', () => {
    for (const { id } of TRAININGS)
      for (const { setting, why } of exportRefusals(tinySource(getTraining(id)), 'trl')) {
        expect(setting).not.toBe('');
        expect(why.length).toBeGreaterThan(20);
      }
  });
});

describe('a folder for TRL', () => {
  const settings = changed('search/grpo', { steps: 4, heldOut: { questions: 3 } });
  const source = tinySource(settings);

  it('holds what the environment reads, and the digests are of its files', async () => {
    const files = await exportFolder(source, 'trl', { read });
    const file = jsonOf(files);
    const experiment = parseExperiment(file);
    expect(experiment.settings).toEqual(settings);
    expect(experiment.runId).toBe('search-grpo-0');
    const line = async (path: string) => {
      const content = files.find((one) => one.path === path)?.content;
      return `${await sha256(content ?? '')}\n`;
    };
    // The digest of files is that of a list of digests, a line each.
    const tokenizer =
      (await line('tokenizer/tokenizer.json')) + (await line('tokenizer/tokenizer_config.json'));
    expect(experiment.policy.digest).toBe(await sha256(tokenizer));
    expect(experiment.questions?.digest).toBe(await sha256(await line('questions.jsonl')));
    expect(file.questions).toMatchObject({ train: 12, heldOut: 3 });
    expect(file.trainer.arguments).toHaveProperty('grpo.max_steps', 4);
  });

  it('asks the questions that the environment draws, row by row', async () => {
    const files = await exportFolder(source, 'trl', { read });
    const rows = linesOf(files, 'train.jsonl');
    expect(rows).toHaveLength(4 * 8);
    const held = linesOf(files, 'questions.jsonl').filter(({ split }) => split === 'train');
    const questions = held.map((one) => source.questions.find(({ id }) => id === one['id'])!);
    const retriever = { search: () => Promise.reject(new Error('nothing is searched')) };
    const create = () => createCurriculum(settings, { questions, retriever });
    const draws = new Draws(settings, 'run', create);
    for (const [n, row] of rows.entries()) {
      const { drawn } = await draws.at(n, 1 + Math.floor(n / 8));
      expect(row).toEqual({
        draw: n,
        id: drawn.question.id,
        question: drawn.question.text,
        answers: drawn.question.answers,
      });
    }
  });

  it('continues a run: its adapter, its draws, the steps that are left', async () => {
    const adapter = [
      { name: 'adapter_model.safetensors', bytes: new Uint8Array([1, 2, 3]) },
      { name: 'adapter_config.json', bytes: new TextEncoder().encode('{}') },
    ];
    const run = { id: 'mine', step: 3, curriculum: { drawn: 3 * 8 }, adapter };
    const whole = linesOf(await exportFolder(source, 'trl', { read }), 'train.jsonl');
    const files = await exportFolder({ ...source, run }, 'trl', { read });
    expect(linesOf(files, 'train.jsonl')).toEqual(whole.slice(24));
    expect(jsonOf(files)).toMatchObject({
      runId: 'mine',
      run: { id: 'mine', step: 3 },
      curriculum: { drawn: 24 },
      adapter: { folder: 'adapter', digest: await sha256(new Uint8Array([1, 2, 3])) },
    });
    expect(files.find(({ path }) => path === 'adapter/adapter_model.safetensors')?.content).toEqual(
      new Uint8Array([1, 2, 3]),
    );
    const done = { ...source, run: { ...run, step: 4 } };
    expect(exportRefusals(done, 'trl')).toMatchObject([{ setting: 'steps', without: 'adapter' }]);
    expect(
      linesOf(await exportFolder(done, 'trl', { read, without: ['adapter'] }), 'train.jsonl'),
    ).toEqual(whole);
  });

  it('leaves draws that depend on rollouts to the environment', async () => {
    const difficulty = changed('search/grpo', { steps: 2, curriculum: { system: { id: 'ur2' } } });
    const files = await exportFolder(tinySource(difficulty), 'trl', { read });
    expect(linesOf(files, 'train.jsonl').map(({ draw, id }) => [draw, id])).toEqual(
      Array.from({ length: 16 }, (_, i) => [i, null]),
    );
  });

  it('pins every package, and says so in experiment.json', async () => {
    const files = await exportFolder(source, 'trl', { read });
    for (const path of ['requirements.txt', 'requirements-vllm.txt'])
      for (const line of textOf(files, path).trim().split('\n'))
        if (!line.startsWith('#')) expect(line).toMatch(/^[a-z0-9-]+==\d+(\.\d+)+$/);
    expect(jsonOf(files).trainer.versions).toMatchObject({ trl: '1.16.0', transformers: '5.10.4' });
  });

  it('can be started, and its README says what is not verified', async () => {
    const files = await exportFolder(source, 'trl', { read });
    const started = files.filter(({ executable }) => executable).map(({ path }) => path);
    expect(started.toSorted()).toEqual(['check.sh', 'environment.sh']);
    for (const path of started) expect(textOf(files, path)).toMatch(/^#!\/bin\/sh\n/);
    const readme = textOf(files, 'README.md');
    for (const words of ['stop_token_ids', 'LoRA', 'FSDP', 'bf16', '1e-4'])
      expect(readme).toContain(words);
    const imported = textOf(files, 'forage_environment.py').matchAll(/^(?:import|from) (\w+)/gm);
    expect(new Set([...imported].map(([, name]) => name))).toEqual(
      new Set(['http', 'json', 'time', 'urllib']),
    );
  });

  it('needs questions and a tokenizer', async () => {
    const { policy } = source;
    const none = { ...source, questions: [] };
    await expect(exportFolder(none, 'trl', { read })).rejects.toThrow('no questions');
    const mute = { ...source, policy: { ...policy, tokenizer: [] } };
    await expect(exportFolder(mute, 'trl', { read })).rejects.toThrow('tokenizer.json');
  });
});

describe('files that exports copy', () => {
  it('are in the page’s build as they are on the disk', async () => {
    const root = resolve('src/handover/files');
    const folders = ['shared', 'trl', 'verl'].filter((name) => existsSync(`${root}/${name}`));
    for (const folder of folders)
      for (const name of readdirSync(`${root}/${folder}`).filter((one) => !one.startsWith('_')))
        expect(await read(`${folder}/${name}`)).toBe(
          readFileSync(`${root}/${folder}/${name}`, 'utf8'),
        );
    await expect(read('trl/nothing.py')).rejects.toThrow('trl/nothing.py');
  });
});
