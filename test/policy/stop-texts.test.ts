import { readFile } from 'node:fs/promises';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { connectPolicy } from '../../src/policy/serving/connect.ts';
import { servePolicy } from '../../src/policy/serving/serve.ts';
import { loadPolicy } from '../../src/policy/open/load.ts';
import type { Generated, GenerateOptions, Policy } from '../../src/policy/policy.ts';
import { StopTexts } from '../../src/policy/stop-texts.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** Tokens are strings by number. */
const decodeOf =
  (tokens: readonly string[]) =>
  (ids: readonly number[]): string =>
    ids.map((id) => tokens[id] ?? '').join('');

describe('stop texts', () => {
  it('end with the token that completes the first of them, however it is cut', () => {
    const part = fc.constantFrom(
      '<',
      '/',
      'ab',
      '>',
      '</ab>',
      'x',
      '<hint>',
      '<hi',
      'nt>',
      '',
      '雪',
    );
    const stopTexts = ['</ab>', '<hint>'];
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (tokens) => {
        const watch = new StopTexts({ stopTexts }, decodeOf(tokens));
        const stopped = tokens.findIndex((_, id) => watch.push(id));
        const texts = tokens.map((_, id) => tokens.slice(0, id + 1).join(''));
        const expected = texts.findIndex((text) => stopTexts.some((stop) => text.includes(stop)));
        expect(stopped).toBe(expected);
      }),
    );
  });

  it('may begin before the call', () => {
    const watch = new StopTexts(
      { stopTexts: ['</ab>'], stopPrefix: 'x </a' },
      decodeOf(['b', '>']),
    );
    expect([watch.push(0), watch.push(1)]).toEqual([false, true]);
  });

  it('decode no more than a tail', () => {
    let longest = 0;
    const watch = new StopTexts({ stopTexts: ['</search>'] }, (ids) => {
      longest = Math.max(longest, ids.length);
      return 'x'.repeat(ids.length);
    });
    for (let id = 0; id < 500; id++) watch.push(id);
    expect(longest).toBeLessThan(24);
  });
});

describe('the engine', () => {
  const fixture = new URL('../fixtures/qwen3-tiny/', import.meta.url);
  const files = (name: string): Promise<Uint8Array> => readFile(new URL(name, fixture));
  let policy: Policy;
  beforeAll(async () => {
    policy = await loadPolicy({ files, id: 'tiny', device: 'wasm' });
  });
  afterAll(() => policy.dispose());

  async function sample(
    from: Policy,
    seed: number,
    stops: Partial<GenerateOptions> = {},
  ): Promise<Generated> {
    const session = await from.open(seed);
    session.append([30, 31, 32]);
    const sampling = { temperature: 1, topK: 0, topP: 1 };
    try {
      return await session.generate({ maxTokens: 40, stopIds: [], sampling, ...stops });
    } finally {
      session.close();
    }
  }

  /** Three tokens of what is sampled freely, as text. */
  const stopIn = ({ ids }: Generated, from: number): string =>
    policy.tokenizer.decode(ids.slice(from, from + 3));

  it('stops each context at its own texts and draws the same tokens up to there', async () => {
    const free = await Promise.all([1, 2, 3].map((seed) => sample(policy, seed)));
    const places = [4, 17, 30];
    const stopped = await Promise.all(
      free.map((whole, i) =>
        sample(policy, i + 1, { stopTexts: [stopIn(whole, places[i] ?? 0), 'no such text'] }),
      ),
    );
    stopped.forEach((cut, i) => {
      const whole = free[i]!;
      const stop = stopIn(whole, places[i] ?? 0);
      const first = whole.ids.findIndex((_, n) =>
        policy.tokenizer.decode(whole.ids.slice(0, n + 1)).includes(stop),
      );
      expect(cut.finish).toBe('stop');
      expect(cut.ids).toEqual(whole.ids.slice(0, first + 1));
      expect(cut.logprobs).toEqual(whole.logprobs.slice(0, first + 1));
    });
  });

  it('does so behind messages, with text before the call', async () => {
    const { port1, port2 } = new MessageChannel();
    servePolicy(policy, port1);
    const chat = { render: () => 'rendered' };
    const remote = await connectPolicy(port2, policy.tokenizer, { chat });
    expect(remote.chat).toBe(chat);
    const whole = await sample(policy, 5);
    const stop = `before${policy.tokenizer.decode(whole.ids.slice(0, 2))}`;
    const cut = await sample(remote, 5, { stopTexts: [stop], stopPrefix: 'before' });
    expect(cut).toMatchObject({ finish: 'stop', ids: whole.ids.slice(0, 2) });
    port1.close();
    port2.close();
  });
});
