import { beforeAll, expect, test } from 'vitest';
import type { TrainStep } from '../../../src/records/training.ts';
import { adoptFiles, changed, moved, returned, without, type Files } from './returned.ts';

/** What verl leaves: metrics of its loggers, adapters in its checkpoints, dumps without special tokens. */

let files: Files = {};
beforeAll(async () => {
  const trl = await returned();
  files = changed(
    {
      'experiment.json': trl['experiment.json']!,
      'rollouts.jsonl': trl['rollouts.jsonl']!,
      ...moved(
        trl,
        'out/checkpoint-1/adapter',
        'checkpoints/global_step_1/actor/lora_adapter/adapter',
      ),
      ...moved(trl, 'out/adapter/', 'checkpoints/global_step_2/actor/lora_adapter/'),
    },
    'experiment.json',
    (file) => (file['trainer'] = { name: 'verl' }),
  );
});

const METRICS: [number, Record<string, number>][] = [
  [
    1,
    {
      'actor/pg_loss': 0.5,
      'actor/grad_norm': 0.25,
      'actor/lr': 1e-5,
      'actor/entropy': 0.75,
      'actor/pg_clipfrac': 0.125,
      'critic/score/mean': 0.6,
      'timing_s/gen': 4,
      'timing_s/update_actor': 2,
      'timing_s/step': 7,
    },
  ],
  [2, { 'actor/pg_loss': -0.5, 'actor/kl_loss': 0.01, 'timing_s/step': 8, 'timing_s/testing': 1 }],
];

const asLogged = ({
  loss,
  gradientNorm,
  learningRate,
  entropy,
  clipShare,
  kl,
  seconds,
}: TrainStep) => ({
  loss,
  gradientNorm,
  learningRate,
  entropy,
  clipShare,
  kl,
  seconds,
});

const EXPECTED = [
  {
    loss: 0.5,
    gradientNorm: 0.25,
    learningRate: 1e-5,
    entropy: 0.75,
    clipShare: 0.125,
    kl: null,
    seconds: { rollout: 4, update: 2, heldOut: null, checkpoint: null, total: 7 },
  },
  {
    loss: -0.5,
    gradientNorm: null,
    learningRate: null,
    entropy: null,
    clipShare: null,
    kl: 0.01,
    seconds: { rollout: null, update: null, heldOut: 1, checkpoint: null, total: 8 },
  },
];

test('metrics of the file logger, and the adapter of the last checkpoint', async () => {
  const text = METRICS.map(([step, data]) => `${JSON.stringify({ step, data })}\n`).join('');
  const run = await adoptFiles({ ...files, 'metrics.jsonl': `${text}{"step": 3, "da` });
  expect(run.trainer).toBe('verl');
  expect(run.steps.map(asLogged)).toEqual(EXPECTED);
  expect(run.steps[0]!.tokensPerSecond).toBe((52.875 * 8) / 4);
  expect(run.state!.step).toBe(2);
  expect(run.notes.join(' ')).toMatch(/metrics\.jsonl: 1 of 3 lines are not metrics/);
});

test('what the console logger printed, where that is all there is', async () => {
  const lines = METRICS.map(([step, data]) => {
    const parts = Object.entries(data).map(([name, value], i) =>
      i % 2 === 0 ? `${name}:${value}` : `${name}:np.float64(${value})`,
    );
    return `(TaskRunner pid=12) step:${step} - ${parts.join(' - ')}`;
  });
  const text = ['Training Progress: 0%', ...lines, 'done'].join('\n');
  const run = await adoptFiles({ ...files, 'train.log': text });
  expect(run.steps.map(asLogged)).toEqual(EXPECTED);
});

test('shards are not an adapter: the note says what to run', async () => {
  const bare = without(files, /lora_adapter/);
  const shard = 'checkpoints/global_step_2/actor/model_world_size_8_rank_0.pt';
  const run = await adoptFiles({ ...bare, [shard]: 'x' });
  expect(run.state).toBeNull();
  expect(run.notes.join(' ')).toMatch(
    /global_step_2\/actor has verl’s own shards\. Run fetch-adapter\.sh/,
  );
});

test('dumps replace the rollouts; the note says that their tags are missing', async () => {
  const row = (step: number, score: number) =>
    JSON.stringify({
      input: 'user\nWho wrote Low Tide?\nassistant\n',
      output: ' plan : writer .  writer of Low Tide',
      gts: ['Ida Holm'],
      score,
      step,
      uid: `${step}_0_0`,
    });
  const bare = without(files, /^rollouts/);
  const run = await adoptFiles({
    ...bare,
    'rollouts/1.jsonl': `${row(1, 1)}\n${row(1, 0)}\n`,
    'rollouts/2.jsonl': `${row(2, 0.5)}\n`,
  });
  expect(
    run.steps.map(({ step, rollouts, reward, em }) => [step, rollouts, reward.mean, em]),
  ).toEqual([
    [1, 2, 0.5, null],
    [2, 1, 0.5, null],
  ]);
  expect(run.notes.join(' ')).toMatch(
    /verl’s dumps replace it, without events, and 3 of 3 without tokens; 3 of 3 have no tags/,
  );
  const [first] = await run.rollouts(1);
  expect(first).toMatchObject({ step: 1, reward: 1, question: { answers: ['Ida Holm'] } });
});

test('verl’s own means of the held-out questions', async () => {
  const measures = { acc: 0.5, f1: 0.625, recall: 0.75, searches: 2, format: 1 };
  const data = Object.fromEntries(
    Object.entries(measures).map(([name, value]) => [
      `${name === 'acc' ? 'val-core' : 'val-aux'}/forage/${name}/mean@1`,
      value,
    ]),
  );
  const line = JSON.stringify({ step: 2, data: { ...data, 'actor/pg_loss': 1 } });
  const run = await adoptFiles({ ...without(files, /^rollouts/), 'metrics.jsonl': `${line}\n` });
  expect(run.steps[0]!.heldOut).toEqual({
    n: 2,
    em: 0.5,
    f1: 0.625,
    recall: 0.75,
    searches: 2,
    formatValid: 1,
  });
});
