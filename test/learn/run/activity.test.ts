import { describe, expect, it } from 'vitest';
import { Activity } from '../../../src/learn/run/activity.ts';
import { PolicyLearner } from '../../../src/learn/replicas/learner.ts';
import { connectReplica, serveReplica } from '../../../src/learn/replicas/replica-channel.ts';
import { TrainReplica } from '../../../src/learn/replicas/replica.ts';
import { createLoraTrainer } from '../../policy/create-lora-trainer.ts';
import { createPolicy } from '../../../src/policy/open/load.ts';
import { tokenizer } from '../../agent/tokenizer.ts';
import { tinyWeights } from '../rl/helpers.ts';

/** Progress moves token by token, between rollouts and within micro-batches. */

const weights = tinyWeights();
const spec = { rank: 4, alpha: 8, targets: ['q_proj' as const] };

describe('what is written', () => {
  it('counts tokens as they come, with their rate, the contexts under way and the end of the text', async () => {
    let now = 0;
    const activity = new Activity(() => now);
    const policy = activity.watchPolicy(
      await createPolicy(
        weights,
        tokenizer,
        { id: 'tiny', revision: '0', dtype: 'f32' },
        { device: 'wasm', maxSlots: 4 },
      ),
    );
    expect(activity.view()).toMatchObject({ doing: null, tokens: 0, writing: 0, text: '' });
    const seen: number[] = [];
    const ids: number[] = [];
    const session = await policy.open(1);
    session.append(tokenizer.encodeText('Who wrote Old Wolf?'));
    const made = await session.generate({
      maxTokens: 40,
      stopIds: [],
      sampling: { temperature: 1, topP: 1, topK: 0 },
      // The listener of the caller is called, too.
      onTokens: (added) => {
        now += 1000;
        ids.push(...added.ids);
        const { tokens, writing, doing } = activity.view();
        expect([writing, doing]).toEqual([1, 'writing']);
        seen.push(tokens);
      },
    });
    expect(ids).toEqual(made.ids);
    // Before it had ended.
    expect(seen.length).toBeGreaterThan(1);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    const { tokens, tokensPerSecond, writing, text } = activity.view();
    expect([tokens, writing]).toEqual([40, 0]);
    // A step of the engine per second.
    expect(tokensPerSecond).toBeGreaterThan(0);
    expect(tokensPerSecond).toBeLessThanOrEqual(40);
    expect(text).toBe(tokenizer.decode(made.ids.slice(-24)));
    activity.begin();
    expect(activity.view()).toMatchObject({ tokens: 0, tokensPerSecond: 0 });
    session.close();
    policy.dispose();
  });

  it('is counted in forks, and keeps what a policy can and cannot do', async () => {
    const activity = new Activity();
    const real = await createPolicy(
      weights,
      tokenizer,
      { id: 'tiny', revision: '0', dtype: 'f32' },
      { device: 'wasm', maxSlots: 4 },
    );
    const policy = activity.watchPolicy(real);
    expect(policy.info).toBe(real.info);
    expect(policy.setAdapter).toBeDefined();
    expect(activity.watchPolicy({ ...policy, setAdapter: undefined }).setAdapter).toBeUndefined();
    const session = await policy.open(1);
    session.append([5, 6, 7]);
    const fork = await session.fork(2);
    await fork.generate({
      maxTokens: 3,
      stopIds: [],
      sampling: { temperature: 0, topP: 1, topK: 0 },
    });
    expect(activity.view().tokens).toBe(3);
    expect(fork.length).toBe(6);
    policy.dispose();
  });
});

describe('what is learned', () => {
  it('counts the tokens of a micro-batch while it is computed, across a channel', async () => {
    const trainer = await createLoraTrainer(
      weights,
      spec,
      { maxTokens: 64, maxLength: 64 },
      'wasm',
    );
    const { port1, port2 } = new MessageChannel();
    serveReplica(new TrainReplica(trainer), port2);
    const near = await connectReplica(port1);
    const learner = new PolicyLearner([near]);
    const activity = new Activity();
    activity.watchLearner(learner);
    learner.setAdapter(new Float32Array(trainerSize(weights)));
    const item = {
      ids: Int32Array.from({ length: 30 }, (_, i) => 5 + i),
      mask: new Uint8Array(30).fill(1),
      temperature: 1,
      oldLogprobs: new Float32Array(29),
      refLogprobs: null,
      advantage: 1,
      weight: 1,
    };
    await learner.gradient([item], 'likelihood');
    expect(activity.view()).toMatchObject({ doing: 'learning', tokens: 30 });
    await learner.score([item], false);
    expect(activity.view().tokens).toBe(60);
    await learner.close();
    port1.close();
    port2.close();
  });
});

/** Values of the adapter of `spec`. */
const trainerSize = ({ config: c }: typeof weights): number =>
  c.layers * spec.rank * (c.hiddenSize + c.heads * c.headDim);
