import { beforeAll, describe, expect, it } from 'vitest';
import type { Objective } from '../../../src/learn/objective.ts';
import { PolicyLearner } from '../../../src/learn/replicas/learner.ts';
import {
  connectReplica,
  serveReplica,
  type FromReplica,
  type ToReplica,
} from '../../../src/learn/replicas/replica-channel.ts';
import { getTraining } from '../../../src/systems/index.ts';
import { TrainReplica, type TrainItem } from '../../../src/learn/replicas/replica.ts';
import { portChannel } from '../../../src/cli/train/channel.ts';
import { initAdapter } from '../../../src/policy/lora/init.ts';
import { loraSize, LORA_TARGETS } from '../../../src/policy/lora/spec.ts';
import { createLoraTrainer } from '../../policy/create-lora-trainer.ts';
import { Random } from '../../../src/base/random.ts';
import { MessageChannel } from 'node:worker_threads';
import { tinyWeights } from '../rl/helpers.ts';

const spec = { rank: 4, alpha: 8, targets: LORA_TARGETS };
const weights = tinyWeights();
const objective: Objective = { ...getTraining('kunlun-baize/dapo').objective, clip: null };
let adapter: Float32Array;
let items: TrainItem[];

const newReplica = async (): Promise<TrainReplica> =>
  new TrainReplica(
    await createLoraTrainer(weights, spec, { maxTokens: 96, maxLength: 64 }, 'wasm'),
  );

beforeAll(async () => {
  const random = new Random(5);
  adapter = initAdapter(weights.config, spec, 1);
  for (let i = 0; i < adapter.length; i++) adapter[i]! += 0.05 * (random.uniform() - 0.5);
  const drawn = Array.from({ length: 6 }, (_, i) => {
    const ids = Int32Array.from({ length: 20 + 5 * i }, () => Math.floor(2000 * random.uniform()));
    const mask = Uint8Array.from(ids, (_id, t) => Number(t > 6 && t % 9 < 6));
    return { ids, mask, temperature: 1 };
  });
  const learner = new PolicyLearner([await newReplica()]);
  learner.setAdapter(adapter);
  const scores = await learner.score(drawn, false);
  items = drawn.map((item, i) => ({
    ...item,
    oldLogprobs: scores[i]!.logprobs,
    refLogprobs: null,
    advantage: i - 2.5,
    weight: 0.01,
  }));
});

async function gradientOf(
  batch: readonly TrainItem[],
  flat = adapter,
): Promise<{ gradient: Float32Array; loss: number }> {
  const learner = new PolicyLearner([await newReplica()]);
  learner.setAdapter(flat);
  const { gradient, items: results } = await learner.gradient(batch, objective);
  return { gradient, loss: results.reduce((sum, { loss }) => sum + loss, 0) };
}

describe('the learner', () => {
  it('gives the gradient of the objective: finite differences along a direction', async () => {
    const random = new Random(9);
    const direction = Float32Array.from(
      { length: loraSize(weights.config, spec) },
      () => random.uniform() - 0.5,
    );
    const shifted = (h: number): Float32Array => adapter.map((v, i) => v + h * direction[i]!);
    const { gradient } = await gradientOf(items);
    const slope = gradient.reduce((sum, g, i) => sum + g * direction[i]!, 0);
    const h = 2e-3;
    const [up, down] = [await gradientOf(items, shifted(h)), await gradientOf(items, shifted(-h))];
    const measured = (up.loss - down.loss) / (2 * h);
    expect(Math.abs(slope)).toBeGreaterThan(1e-4);
    expect(Math.abs(measured / slope - 1)).toBeLessThan(0.02);
  });

  it('takes a rollout whose context began anew as its contexts, and gives back one item', async () => {
    const [a, b] = [items[0]!, items[1]!];
    const concat = (x: Float32Array, y: Float32Array): Float32Array =>
      Float32Array.from([...x, ...y]);
    const whole: TrainItem = {
      ...a,
      ids: Int32Array.from([...a.ids, ...b.ids]),
      mask: Uint8Array.from([...a.mask, ...b.mask]),
      oldLogprobs: concat(a.oldLogprobs, b.oldLogprobs),
      starts: [a.ids.length],
    };
    const apart = [a, { ...b, advantage: a.advantage, weight: a.weight }];
    const [one, two] = [await gradientOf([whole]), await gradientOf(apart)];
    expect([...one.gradient]).toEqual([...two.gradient]);
    expect(one.loss).toBeCloseTo(two.loss, 9);
    const learner = new PolicyLearner([await newReplica()]);
    learner.setAdapter(adapter);
    const [scores, ...further] = await learner.score([whole], false);
    expect(further).toEqual([]);
    expect([...(scores?.logprobs ?? [])]).toEqual([...whole.oldLogprobs]);
    // As one context the second part would read the first.
    const { starts: _, ...joined } = whole;
    const [read] = await learner.score([joined], false);
    expect([...(read?.logprobs ?? [])]).not.toEqual([...whole.oldLogprobs]);
    // Nothing trained in the second: it is left out.
    const half = { ...whole, mask: Uint8Array.from([...a.mask, ...b.mask.map(() => 0)]) };
    const [alone] = await learner.score([half], false);
    expect([...(alone?.logprobs ?? [])]).toEqual([...a.oldLogprobs]);
  });

  it('what the environment wrote last gets no gradient: other tokens there change nothing', async () => {
    const { gradient } = await gradientOf(items);
    const other = items.map((item) => {
      const end = item.mask.lastIndexOf(1);
      return { ...item, ids: item.ids.map((id, t) => (t > end ? (id + 17) % 2000 : id)) };
    });
    expect(other.some((item, i) => item.ids.some((id, t) => id !== items[i]!.ids[t]))).toBe(true);
    expect((await gradientOf(other)).gradient).toEqual(gradient);
  });

  it('only trained tokens count: without any there is no gradient', async () => {
    const none = items.map((item) => ({
      ...item,
      mask: new Uint8Array(item.mask.length),
      oldLogprobs: new Float32Array(0),
    }));
    const { gradient, loss } = await gradientOf(none);
    expect(gradient.every((g) => g === 0)).toBe(true);
    expect(loss).toBe(0);
  });

  it('is the same to the bit over a channel and with three replicas', async () => {
    const { gradient } = await gradientOf(items);
    const { port1, port2 } = new MessageChannel();
    const connected = connectReplica(portChannel<FromReplica, ToReplica>(port1));
    serveReplica(await newReplica(), portChannel<ToReplica, FromReplica>(port2));
    const remote = await connected;
    const learner = new PolicyLearner([await newReplica(), remote, await newReplica()]);
    learner.setAdapter(adapter);
    const result = await learner.gradient(items, objective);
    expect(result.gradient).toEqual(gradient);
    const reference = await learner.score(items, true);
    expect(reference.map((r) => r.logprobs.length)).toEqual(items.map((i) => i.oldLogprobs.length));
    expect(reference[0]!.logprobs).not.toEqual(items[0]!.oldLogprobs);
    // Back from the reference: the adapter is set again.
    expect((await learner.gradient(items, objective)).gradient).toEqual(gradient);
    const bad = [{ ...items[0]!, ids: new Int32Array(3) }];
    await expect(remote.gradient(bad, objective)).rejects.toThrow(/one weight per token/);
    await learner.close();
    port1.close();
  });
});
