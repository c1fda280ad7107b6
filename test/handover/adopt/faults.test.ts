import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { adopt, type Base } from '../../../src/handover/adopt/adopt.ts';
import { AdoptError } from '../../../src/handover/adopt/folder.ts';
import { readSafetensors, writeSafetensors } from '../../../src/policy/checkpoint/safetensors.ts';
import { adoptFiles, changed, config, filesOf, returned, without, type Files } from './returned.ts';

/** Half a folder, and damaged ones: what is there is adopted, what is not is said. */

let files: Files = {};
beforeAll(async () => {
  files = await returned();
});

const notesOf = async (given: Files): Promise<string> => (await adoptFiles(given)).notes.join(' ');
const refusal = async (given: Files): Promise<string> => {
  const error: unknown = await adoptFiles(given).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(AdoptError);
  return (error as Error).message;
};
const FINAL = 'out/adapter/adapter_model.safetensors';

/** Tensors of the last adapter, changed. */
function tensors(change: (data: Float32Array, name: string) => Float32Array): Files {
  const read = readSafetensors(new Uint8Array(Buffer.from(files[FINAL] as Uint8Array)));
  const made = new Map(
    [...read].map(([name, { shape, data }]) => [
      name,
      { shape, data: change(Float32Array.from(data), name) },
    ]),
  );
  return { ...files, [FINAL]: writeSafetensors(made, 'F32') };
}

describe('nothing can be made of it', () => {
  test('without experiment.json', async () => {
    expect(await refusal(without(files, /^experiment/))).toMatch(
      /experiment\.json is missing.*lab export/,
    );
    expect(await refusal({})).toMatch(/experiment\.json is missing/);
  });

  test('an experiment that cannot be read', async () => {
    expect(await refusal({ ...files, 'experiment.json': '{' })).toMatch(/it is not JSON/);
    const other = changed(files, 'experiment.json', (file) => (file['schema'] = 'x/9'));
    expect(await refusal(other)).toMatch(/experiment\.json cannot be read: schema/);
    const bad = changed(files, 'experiment.json', (file) => {
      (file['settings'] as { groupSize: unknown }).groupSize = 'many';
    });
    expect(await refusal(bad)).toMatch(/groupSize/);
  });

  const nothing =
    /^Nothing in this folder can be imported\. No metrics: .*No rollouts: .*No adapter: /;

  test('the exported folder as it left', async () => {
    expect(await refusal({ 'experiment.json': files['experiment.json']! })).toMatch(nothing);
  });

  test('nor of what its proof on a CPU left there', async () => {
    const proof = Object.entries(without(files, /^experiment/));
    const moved = Object.fromEntries(proof.map(([path, of]) => [`check/${path}`, of]));
    const left = { 'experiment.json': files['experiment.json']!, ...moved };
    expect(await refusal(left)).toMatch(nothing);
  });
});

describe('the adapter is left out, and the rest is there', () => {
  const rest = async (given: Files): Promise<string> => {
    const run = await adoptFiles(given);
    expect([run.state, run.steps.length, (await run.rollouts(2)).length]).toEqual([null, 2, 8]);
    return run.notes.join(' ');
  };
  const only = (given: Files): Files => without(given, /checkpoint-1\/adapter/);

  test.each<[string, (given: Files) => Files, RegExp]>([
    [
      'lora_alpha 0, as verl writes it without its own settings',
      (given) => changed(given, 'out/adapter/adapter_config.json', (c) => (c['lora_alpha'] = 0)),
      /out\/adapter cannot be used: adapter_config\.json: lora_alpha/,
    ],
    [
      'another rank than its tensors have',
      (given) => changed(given, 'out/adapter/adapter_config.json', (c) => (c['r'] = 4)),
      /has rank 1, adapter_config\.json says r = 4/,
    ],
    [
      'a cut file of weights',
      (given) => ({ ...given, [FINAL]: (given[FINAL] as Uint8Array<ArrayBuffer>).slice(0, 4000) }),
      /adapter_model\.safetensors: /,
    ],
    [
      'no weights',
      (given) => without(given, /adapter\/adapter_model/),
      /is missing from the folder/,
    ],
    [
      'weights as a pickle',
      (given) => ({
        ...without(given, /adapter\/adapter_model/),
        'out/adapter/adapter_model.bin': 'x',
      }),
      /is a pickle, save it again/,
    ],
    ['no adapter at all', (given) => without(given, /out\/adapter/), /No adapter: /],
  ])('%s', async (_, change, said) => {
    expect(await rest(change(only(files)))).toMatch(said);
  });

  test('values that are not finite', async () => {
    const broken = tensors((data) => data.map((value, i) => (i === 3 ? NaN : value)));
    expect(await rest(only(broken))).toMatch(/holds a value that is not finite/);
  });

  const withBase = async (base: Base) => {
    const run = await adopt(filesOf(only(files)), { base: () => Promise.resolve(base), now: '' });
    expect([run.state, run.steps.length]).toEqual([null, 2]);
    return run.notes.join(' ');
  };

  test('one of a policy of another shape', async () => {
    const wider = { ...config, hiddenSize: 2 * config.hiddenSize };
    expect(await withBase({ config: wider })).toMatch(/has shape \[.*\], this policy needs \[/);
  });

  test('one of a policy that is not available', async () => {
    const missing = 'it was trained on other weights. Add that checkpoint.';
    expect(await withBase({ missing })).toMatch(
      /The adapter was not imported: it was trained on other weights/,
    );
  });

  test('a damaged last one falls back to the checkpoint before, and both are said', async () => {
    const broken = { ...files, [FINAL]: 'x' };
    const { state, notes } = await adoptFiles(broken);
    expect(state!.step).toBe(1);
    expect(notes.join(' ')).toMatch(/The adapter in out\/adapter cannot be used/);
  });

  const flipped = (weights: Uint8Array | string): Uint8Array<ArrayBuffer> => {
    const bytes = new Uint8Array(Buffer.from(weights as Uint8Array));
    bytes[bytes.length - 3]! ^= 1;
    return bytes;
  };

  test('refuses an adapter to start from with a changed bit', async () => {
    const digest = createHash('sha256').update(files[FINAL]!).digest('hex');
    const began = changed(only(files), 'experiment.json', (file) => {
      file['adapter'] = { folder: 'out/adapter', digest };
    });
    const damaged = { ...began, [FINAL]: flipped(files[FINAL]!) };
    expect(await rest(damaged)).toMatch(
      /out\/adapter cannot be used: adapter_model\.safetensors does not match its hash in experiment\.json/,
    );
  });

  test('one bit of an adapter beside its sha256.json is another', async () => {
    const hash = createHash('sha256').update(files[FINAL]!).digest('hex');
    const sums = JSON.stringify({ 'adapter_model.safetensors': hash });
    const listed = { ...only(files), 'out/adapter/sha256.json': sums };
    expect((await adoptFiles(listed)).state).not.toBeNull();
    expect(await rest({ ...listed, [FINAL]: flipped(files[FINAL]!) })).toMatch(
      /out\/adapter cannot be used: adapter_model\.safetensors does not match its hash\./,
    );
  });

  test('the adapter that training began from is not taken for what it made', async () => {
    const digest = Buffer.from(
      await crypto.subtle.digest('SHA-256', files[FINAL] as Uint8Array<ArrayBuffer>),
    ).toString('hex');
    const began = changed(only(files), 'experiment.json', (file) => {
      file['adapter'] = { folder: 'adapter', digest };
    });
    expect(await rest(began)).toMatch(/adapter is the one that training started from/);
  });

  test('another shape of adapter than was exported is that of the run', async () => {
    const larger = changed(files, 'experiment.json', (file) => {
      (file['settings'] as { adapter: { rank: number } }).adapter.rank = 8;
    });
    const run = await adoptFiles(larger);
    expect(run.settings.adapter.rank).toBe(1);
    expect(run.notes.join(' ')).toMatch(
      /imported adapter has rank 1, alpha 2 on q_proj, v_proj, other than exported/,
    );
  });
});

describe('what is cut short is read as far as it goes', () => {
  test('rollouts.jsonl of a server that was killed', async () => {
    const text = String(files['rollouts.jsonl']);
    const cut = { ...files, 'rollouts.jsonl': `nonsense\n${text.slice(0, -500)}` };
    const run = await adoptFiles(cut);
    expect(run.notes.join(' ')).toMatch(
      /rollouts\.jsonl: 2 lines are not a record.*the first is line 1/,
    );
    expect((await run.rollouts(1)).length).toBe(8);
  });

  test('the trainer’s state: the checkpoint’s is used instead', async () => {
    const cut = { ...files, 'out/trainer_state.json': '{"log_history": [' };
    const run = await adoptFiles(cut);
    expect(run.notes.join(' ')).toMatch(/out\/trainer_state\.json is not valid JSON/);
    expect([run.steps[0]!.loss === null, run.steps[1]!.loss]).toEqual([false, null]);
  });

  test('a table of completions that is no parquet', async () => {
    const bare = without(files, /^rollouts/);
    const cut = { ...bare, 'out/completions/completions_00001.parquet': 'PAR1xxxxPAR1' };
    expect(await notesOf(cut)).toMatch(/completions_00001\.parquet cannot be read whole/);
    expect((await (await adoptFiles(cut)).rollouts(2)).length).toBe(8);
  });

  test('names the steps without data', async () => {
    const text = String(files['rollouts.jsonl']).replaceAll('"step":2', '"step":5');
    const run = await adoptFiles(without({ ...files, 'rollouts.jsonl': text }, /trainer_state/));
    expect(run.steps.map(({ step }) => step)).toEqual([1, 5]);
    expect(run.notes.join(' ')).toMatch(/No data for steps 2, 3, 4\./);
  });
});
