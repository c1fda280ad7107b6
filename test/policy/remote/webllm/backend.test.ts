import { describe, expect, it } from 'vitest';
import type { TextChunk, TextRequest } from '../../../../src/policy/remote/text-backend.ts';
import { WebLlmBackend } from '../../../../src/policy/remote/webllm/backend.ts';
import { scriptedEngine } from './scripted-engine.ts';

const MODEL = { id: 'Qwen2-0.5B-Instruct-q4f32_1-MLC', maxContext: 4096 };

const request = (part: Partial<TextRequest> = {}): TextRequest => ({
  prefix: '',
  messages: [{ role: 'user', content: 'Where?' }],
  maxTokens: 100,
  temperature: 1,
  topK: 0,
  topP: 1,
  stop: [],
  seed: 0xffffffff,
  signal: new AbortController().signal,
  ...part,
});

const collect = async (stream: AsyncIterable<TextChunk>): Promise<TextChunk[]> => {
  const chunks: TextChunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
};

const WORDS = ['In', ' Oslo', ',', ' I', ' think'];

describe('a WebLLM model', () => {
  it('streams its tokens with log-probabilities and says what these are', async () => {
    const { engine, requests } = scriptedEngine(WORDS);
    const backend = new WebLlmBackend(engine, MODEL);
    const chunks = await collect(backend.stream(request()));
    expect(chunks).toEqual([
      ...WORDS.map((text, i) => ({ text, logprob: -0.25 * (i + 1), top: [] })),
      { text: '', finish: 'end' },
    ]);
    expect(backend.info).toMatchObject({ device: 'webgpu', dtype: 'q4f32_1', maxContext: 4096 });
    expect(backend.info.logprobs).toContain('after temperature');
    // The library takes a signed seed.
    expect(requests).toMatchObject([{ seed: 0x7fffffff, logprobs: true }]);
  });

  it('says that the length ended it, and invents no log-probabilities', async () => {
    const { engine } = scriptedEngine(WORDS, { logprobs: false });
    const chunks = await collect(
      new WebLlmBackend(engine, MODEL).stream(request({ maxTokens: 2 })),
    );
    expect(chunks).toEqual([{ text: 'In' }, { text: ' Oslo' }, { text: '', finish: 'length' }]);
  });

  it('runs one request after another, also when readers leave early', async () => {
    const scripted = scriptedEngine(WORDS, { wait: 1 });
    const backend = new WebLlmBackend(scripted.engine, MODEL);
    const early = async () => {
      for await (const chunk of backend.stream(request()))
        if (chunk.text === ' Oslo') return 'left';
      return 'ended';
    };
    const [left, ...whole] = await Promise.all([
      early(),
      collect(backend.stream(request())),
      collect(backend.stream(request())),
    ]);
    expect(left).toBe('left');
    expect(whole.map((chunks) => chunks.length)).toEqual([6, 6]);
    expect(scripted).toMatchObject({ overlaps: 0, interrupts: 1 });
  });

  it('stops when it is aborted, and works on afterwards', async () => {
    const scripted = scriptedEngine(WORDS, { wait: 2 });
    const backend = new WebLlmBackend(scripted.engine, MODEL);
    const abort = new AbortController();
    const reading = collect(backend.stream(request({ signal: abort.signal })));
    const queued = collect(backend.stream(request({ signal: abort.signal })));
    setTimeout(() => abort.abort(new Error('enough')), 3);
    await expect(reading).rejects.toThrow('enough');
    await expect(queued).rejects.toThrow('enough');
    expect(await collect(backend.stream(request()))).toHaveLength(6);
    expect(scripted.requests).toHaveLength(2);
    expect(scripted.overlaps).toBe(0);
  });

  it('ends what is under way when its worker is gone', async () => {
    const scripted = scriptedEngine(WORDS, { wait: 50 });
    const backend = new WebLlmBackend(scripted.engine, MODEL);
    const reading = collect(backend.stream(request()));
    backend.lost(new Error('the GPU process crashed'));
    await expect(reading).rejects.toThrow('crashed');
  });

  it('judges and summarizes: a whole text, cut at its stop word', async () => {
    const { engine } = scriptedEngine(WORDS);
    const backend = new WebLlmBackend(engine, MODEL);
    const options = { maxTokens: 20, temperature: 0 };
    expect(await backend.complete([{ role: 'user', content: '?' }], options)).toBe(WORDS.join(''));
    const cut = await backend.complete([{ role: 'user', content: '?' }], {
      ...options,
      stop: [','],
    });
    expect(cut).toBe('In Oslo');
  });
});
