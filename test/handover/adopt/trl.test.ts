import { beforeAll, describe, expect, test } from 'vitest';
import { readPeft } from '../../../src/policy/lora/peft.ts';
import { adopt, type Adopted } from '../../../src/handover/adopt/adopt.ts';
import {
  adoptFiles,
  changed,
  config,
  filesOf,
  moved,
  returned,
  without,
  type Files,
} from './returned.ts';

/** A run that TRL made, read back. What TRL logged itself is the oracle of what is counted here. */

interface Logged {
  step: number;
  [name: string]: number | undefined;
}

let files: Files = {};
let adopted: Adopted;
let history: Logged[] = [];
beforeAll(async () => {
  files = await returned();
  adopted = await adoptFiles(files);
  history = (JSON.parse(String(files['out/trainer_state.json'])) as { log_history: Logged[] })
    .log_history;
});

const logged = (step: number, name: string): number =>
  history.find((entry) => entry.step === step && entry[name] !== undefined)![name]!;

const rollouts = async (run: Adopted, step: number) => run.rollouts(step);

describe('steps', () => {
  test('what is counted over the rollouts is what TRL’s own means say', () => {
    expect(adopted.steps.map(({ step }) => step)).toEqual([1, 2]);
    for (const step of adopted.steps) {
      const mean = (name: string): number => logged(step.step, name);
      expect(step.reward.mean).toBeCloseTo(mean('reward'), 6);
      // TRL's deviation divides by n − 1.
      expect(step.reward.std! * Math.sqrt(8 / 7)).toBeCloseTo(mean('reward_std'), 6);
      expect(step.em).toBeCloseTo(mean('forage/em'), 6);
      expect(step.f1).toBeCloseTo(mean('forage/f1'), 6);
      expect(step.recall).toBeCloseTo(mean('forage/recall'), 6);
      expect(step.searches).toBeCloseTo(mean('forage/searches'), 6);
      expect(step.formatValid).toBe(mean('forage/format'));
      expect(step.responseTokens).toBeCloseTo(mean('forage/tokens'), 6);
      expect(step.zeroVarianceGroups).toBe(mean('frac_reward_zero_std') * 2);
      expect([step.rollouts, step.groups]).toEqual([8, 2]);
    }
  });

  test('losses, rates, norms and times are TRL’s; what it does not say is null', () => {
    for (const { step, ...own } of adopted.steps)
      expect(own).toMatchObject({
        loss: logged(step, 'loss'),
        gradientNorm: logged(step, 'grad_norm'),
        learningRate: logged(step, 'learning_rate'),
        kl: logged(step, 'kl'),
        entropy: logged(step, 'entropy'),
        seconds: { total: logged(step, 'step_time'), rollout: null, update: null },
        samplerGap: { max: null, mean: null },
        trainedTokens: null,
      });
  });

  test('the held-out score is over the held-out rollouts, at the step that has it', () => {
    expect(adopted.steps[0]!.heldOut).toBeNull();
    expect(adopted.steps[1]!.heldOut).toEqual({
      n: 2,
      em: logged(2, 'held_out/em'),
      f1: logged(2, 'held_out/f1'),
      recall: logged(2, 'held_out/recall'),
      searches: logged(2, 'held_out/searches'),
      formatValid: logged(2, 'held_out/format'),
    });
  });

  test('without rollouts the log alone gives them', async () => {
    const bare = await adoptFiles(without(files, /rollouts|completions/));
    expect(
      bare.steps.map(({ em, searches, responseTokens }) => [em, searches, responseTokens]),
    ).toEqual(
      adopted.steps.map(({ em, searches, responseTokens }) => [em, searches, responseTokens]),
    );
    expect(bare.steps[1]!.heldOut).toEqual(adopted.steps[1]!.heldOut);
    expect(bare.steps[0]!.zeroVarianceGroups).toBeNull();
    expect(await bare.rollouts(1)).toEqual([]);
    expect(bare.notes.join(' ')).toMatch(/No rollouts: /);
  });

  test('two updates per step are one step, whose means are of both', async () => {
    const twice = changed(files, 'experiment.json', (file) => {
      (file['settings'] as { updates: number }).updates = 2;
    });
    const { steps, state } = await adoptFiles(without(twice, /rollouts|completions|checkpoint-/));
    expect(steps.map(({ step }) => step)).toEqual([1]);
    expect(steps[0]!.loss).toBeCloseTo((logged(1, 'loss') + logged(2, 'loss')) / 2, 12);
    expect(steps[0]!.seconds.total).toBeCloseTo(logged(1, 'step_time') + logged(2, 'step_time'), 9);
    expect(state!.step).toBe(1);
  });

  test('a run that was exported at step 5 counts on from there', async () => {
    const later = changed(files, 'experiment.json', (file) => {
      file['run'] = { id: 'run-a', step: 5 };
      file['curriculum'] = { drawn: 10 };
    });
    const run = await adoptFiles(without(later, /rollouts|completions/));
    expect(run.steps.map(({ step }) => step)).toEqual([6, 7]);
    expect(run.state).toMatchObject({ step: 7, curriculum: { drawn: 14 } });
  });
});

describe('the adapter', () => {
  test('is the one that was saved last, value for value, and can be continued', () => {
    const bytes = (name: string) => ({
      name,
      bytes: new Uint8Array(Buffer.from(files[`out/adapter/${name}`] as Uint8Array)),
    });
    const { flat, spec } = readPeft(config, [
      bytes('adapter_config.json'),
      bytes('adapter_model.safetensors'),
    ]);
    expect(flat.some((value) => value !== 0)).toBe(true);
    expect(adopted.state).toMatchObject({ step: 2, updates: 0, curriculum: { drawn: 4 } });
    expect(adopted.state!.adapter).toEqual(flat);
    expect(adopted.state!.first).toEqual(new Float32Array(flat.length));
    expect(adopted.settings.adapter).toEqual(spec);
  });

  test('of checkpoints alone it is the latest', async () => {
    const early = without(files, /out\/adapter/);
    expect((await adoptFiles(early)).state!.step).toBe(1);
    const both = { ...early, ...moved(files, 'out/adapter/', 'out/checkpoint-2/') };
    const { state } = await adoptFiles(both);
    expect(state!.step).toBe(2);
    expect(state!.adapter).toEqual(adopted.state!.adapter);
  });
});

describe('rollouts', () => {
  test('are the environment’s records, with the advantages that TRL had', async () => {
    const own = String(files['rollouts.jsonl'])
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string; segments: object[] });
    const first = await rollouts(adopted, 1);
    expect(first.map(({ id }) => id)).toEqual(own.slice(0, 8).map(({ id }) => id));
    expect(first[0]!.segments).toEqual(own[0]!.segments);
    const table = await adoptFiles(without(files, /^rollouts/));
    const theirs = new Map((await rollouts(table, 1)).map((one) => [one.id, one.advantage]));
    expect(theirs.size).toBe(8);
    // (r − mean) / (std + 1e-4) there, 1e-6 here.
    for (const { id, advantage } of first) expect(advantage).toBeCloseTo(theirs.get(id)!, 3);
  });

  test('TRL’s table replaces them, with its token columns', async () => {
    const table = await adoptFiles(without(files, /^rollouts/));
    expect(table.notes.join(' ')).toMatch(/rollouts\.jsonl is missing: TRL’s completions/);
    const policy = (list: Awaited<ReturnType<typeof rollouts>>) =>
      new Map(
        list.map(({ id, segments }) => [
          id,
          segments.filter(({ source }) => source === 'policy').flatMap(({ ids = [] }) => ids),
        ]),
      );
    expect(policy(await rollouts(table, 2))).toEqual(policy(await rollouts(adopted, 2)));
    expect(table.steps.map(({ em, reward }) => [em, reward.mean])).toEqual(
      adopted.steps.map(({ em, reward }) => [em, reward.mean]),
    );
  });

  test('of a step that was made again after a restart the last attempt counts', async () => {
    const lines = String(files['rollouts.jsonl']).trim().split('\n');
    const again = lines
      .map((line) => JSON.parse(line) as { id: string; step: number; reward: number })
      .filter(({ step, id }) => step === 2 && !id.includes('held-out'))
      .map((one) => JSON.stringify({ ...one, id: `${one.id}-from-1`, reward: 0 }));
    // The same line twice is a reply that was lost.
    const text = [...lines, lines[0], ...again].join('\n');
    const { steps } = await adoptFiles({ ...files, 'rollouts.jsonl': text });
    expect(steps.map((step) => [step.rollouts, step.reward.mean])).toEqual([
      [8, 0.625],
      [8, 0],
    ]);
  });

  test('questions that were scored for a curriculum are of no step', async () => {
    const [line] = String(files['rollouts.jsonl']).split('\n');
    const scoring = {
      ...(JSON.parse(line!) as object),
      id: 's',
      groupId: 'run-scoring-3',
      step: 0,
    };
    const text = `${String(files['rollouts.jsonl'])}${JSON.stringify(scoring)}\n`;
    expect((await adoptFiles({ ...files, 'rollouts.jsonl': text })).steps.length).toBe(2);
  });
});

test('the folder may lie anywhere in what is given', async () => {
  const deep = Object.fromEntries(
    Object.entries(files).map(([path, content]) => [`a/b/${path}`, content]),
  );
  const run = await adopt(filesOf({ ...deep, 'a/notes.txt': 'x' }), {
    base: () => Promise.resolve({ config }),
    now: '',
  });
  expect(run.steps.length).toBe(2);
});
