import { describe, expect, it } from 'vitest';
import { factsOf } from '../../../../../src/lab/models/checkpoints/facts.ts';
import { planBytes } from '../../../../../src/lab/contract/records/checkpoints.ts';
import { planLocal } from '../../../../../src/lab/models/checkpoints/plan/plan-folder.ts';
import { planHub } from '../../../../../src/lab/models/checkpoints/plan/plan-hub.ts';
import { planUrl } from '../../../../../src/lab/models/checkpoints/plan/plan-url.ts';
import {
  parseHub,
  parseSource,
  titleOf,
} from '../../../../../src/lab/models/checkpoints/plan/source.ts';
import type { Web } from '../../../../../src/lab/models/checkpoints/plan/web.ts';
import { WEB, faultOf, makeBench, type Bench } from '../bench.ts';
import { CONFIG, shardedFiles, weights } from '../hub-server.ts';
import { LLAMA32_1B, QWEN25_05B } from '../../../../fixtures/published-configs.ts';

const ofHub = async ({ hub }: Bench, web: Web = WEB, text = 'forage/tiny') => {
  const source = parseSource(text, hub.url);
  if (source.kind !== 'hub') throw new Error('no hub');
  return (await planHub(web, source)).plan;
};
const ofUrl = ({ hub }: Bench, web: Web = WEB, path = '/folder') => {
  const source = parseSource(hub.url + path, 'https://huggingface.co');
  if (source.kind !== 'url') throw new Error('no folder');
  return planUrl(web, source);
};

describe('what the user names', () => {
  it.each([
    ['Qwen/Qwen3-0.6B', 'Qwen/Qwen3-0.6B', 'main'],
    [' Qwen/Qwen3-0.6B ', 'Qwen/Qwen3-0.6B', 'main'],
    ['Qwen/Qwen3-0.6B@refs/pr/3', 'Qwen/Qwen3-0.6B', 'refs/pr/3'],
    ['https://huggingface.co/Qwen/Qwen3-0.6B', 'Qwen/Qwen3-0.6B', 'main'],
    ['https://huggingface.co/Qwen/Qwen3-0.6B/tree/v1', 'Qwen/Qwen3-0.6B', 'v1'],
    ['https://huggingface.co/a/b/blob/main/config.json?x=1#L3', 'a/b', 'main'],
  ])('is a repository: %s', (text, repository, revision) => {
    const base = 'https://huggingface.co';
    expect(parseSource(text)).toEqual({ kind: 'hub', base, repository, revision });
  });

  it.each([
    ['http://localhost:8000/models/tiny', 'http://localhost:8000/models/tiny/'],
    ['https://x.example/m/config.json?token=1', 'https://x.example/m/'],
    ['https://x.example/m/model.safetensors', 'https://x.example/m/'],
    ['https://x.example', 'https://x.example/'],
  ])('is a folder: %s', (text, url) => {
    expect(parseSource(text)).toEqual({ kind: 'url', url });
  });

  it.each([
    '',
    'a b',
    'asdf',
    'a/b/c',
    'ftp://x.example/m',
    'file:///home/me',
    'https://me:pw@x.example/',
    '../x',
    '@main',
  ])('is neither: "%s"', (text) => {
    expect(() => parseSource(text)).toThrow(
      expect.objectContaining({ kind: 'address', next: expect.stringContaining('Qwen/') }),
    );
  });

  it('needs an owner: a word is not asked of the hub', () => {
    expect(() => parseSource('asdf')).toThrow('"asdf" is not a repository: write owner/name');
  });

  it('may be of a mirror', () => {
    expect(parseHub('')).toBe('https://huggingface.co');
    expect(parseHub('http://localhost:9000/hf/')).toBe('http://localhost:9000/hf');
    expect(() => parseHub('localhost')).toThrow('not the address of a hub');
    const source = parseSource(
      'http://localhost:9000/hf/a/b/tree/main',
      'http://localhost:9000/hf',
    );
    expect(source).toMatchObject({ kind: 'hub', repository: 'a/b' });
    expect(titleOf(source)).toBe('a/b');
  });
});

describe('the plan of a hub', () => {
  it('has what a checkpoint needs and nothing else, with sizes and hashes, at one commit', async () => {
    const bench = await makeBench();
    const plan = await ofHub(bench);
    expect(plan.files.map(({ name }) => name)).toEqual([
      'config.json',
      'tokenizer.json',
      'tokenizer_config.json',
      'model.safetensors.index.json',
      'model-00001-of-00002.safetensors',
      'model-00002-of-00002.safetensors',
    ]);
    for (const { name, bytes, sha256, url } of plan.files) {
      expect(bytes).toBe(bench.hub.files.get(name)?.length);
      expect(sha256 !== null).toBe(name.endsWith('.safetensors'));
      expect(url).toBe(`${bench.hub.url}/forage/tiny/resolve/${plan.revision}/${name}`);
    }
    expect(plan.config).toEqual(CONFIG);
    expect(plan.title).toBe('forage/tiny');
  });

  it('prefers one file to shards, as transformers does', async () => {
    const bench = await makeBench();
    bench.hub.files.set('model.safetensors', weights('a', 10));
    const names = (await ofHub(bench)).files.map(({ name }) => name);
    expect(names.filter((name) => name.includes('model'))).toEqual(['model.safetensors']);
  });

  it.each([
    [{ status: 401, code: 'GatedRepo' }, 'gated', /Accept them on the hub.*add the folder/],
    [{ status: 403, code: 'GatedRepo' }, 'gated', /Accept them/],
    [{ status: 401 }, 'not-found', /Check the spelling; where it is private or gated/],
    [{ status: 403 }, 'denied', /private or gated/],
    [{ status: 404, code: 'RepoNotFound' }, 'not-found', /Check owner and name/],
    [{ status: 404, code: 'RevisionNotFound' }, 'not-found', /branch, tag or commit/],
    [{ status: 429, headers: { 'Retry-After': '7' } }, 'rate-limited', /Wait/],
    [{ status: 503 }, 'server', /try again later/],
  ] as const)('tells %o apart', async (refuse, kind, next) => {
    const bench = await makeBench();
    bench.hub.refuse = { headers: {}, ...refuse };
    const fault = await faultOf(ofHub(bench));
    expect(fault.kind).toBe(kind);
    expect(fault.next).toMatch(next);
    expect(fault.retryAfter).toBe(kind === 'rate-limited' ? 7 : null);
  });

  it.each([
    ['pytorch_model.bin', 'unsupported', /safe_serialization/],
    ['adapter_model.safetensors', 'unsupported', /base model/],
    ['notes.txt', 'incomplete', /holds the weights/],
  ])('says what to do with a repository of %s only', async (name, kind, next) => {
    const files = shardedFiles();
    for (const each of files.keys()) if (each.startsWith('model')) files.delete(each);
    files.set(name, new Uint8Array(3));
    const fault = await faultOf(ofHub(await makeBench(files)));
    expect(fault.kind).toBe(kind);
    expect(fault.next).toMatch(next);
  });

  it('names the shard or file that is missing', async () => {
    const files = shardedFiles();
    files.delete('model-00002-of-00002.safetensors');
    const lost = await faultOf(ofHub(await makeBench(files)));
    expect(lost.message).toMatch(/lacks 1 of the 2 shards.*00002-of/);
    const bench = await makeBench();
    bench.hub.files.delete('tokenizer.json');
    expect((await faultOf(ofHub(bench))).message).toContain('no tokenizer.json');
    bench.hub.spoil = (info) => ({ ...info, siblings: 'none' });
    expect(await faultOf(ofHub(bench))).toMatchObject({ kind: 'bad-answer' });
  });
});

describe('the plan of a folder on a server', () => {
  it.each(['HEAD', 'ranges', 'neither'])('finds files and sizes by %s', async (by) => {
    const bench = await makeBench();
    bench.hub.head = by === 'HEAD';
    bench.hub.ranges = by !== 'neither';
    const plan = await ofUrl(bench, WEB, '/folder/config.json');
    const all = [...bench.hub.files].filter(([name]) => name !== 'README.md');
    expect(plan.files).toHaveLength(all.length);
    expect(planBytes(plan.files)).toBe(all.reduce((sum, [, { length }]) => sum + length, 0));
    expect(plan.title).toBe('folder');
    expect(plan.files.filter(({ exact }) => exact).map(({ name }) => name)).toEqual([
      'model-00001-of-00002.safetensors',
      'model-00002-of-00002.safetensors',
    ]);
  });

  it('says where config.json is not, and that a sign-in is not possible', async () => {
    const bench = await makeBench();
    expect(await faultOf(ofUrl(bench, WEB, '/elsewhere'))).toMatchObject({ kind: 'not-found' });
    bench.hub.refuse = { status: 403 };
    expect(await faultOf(ofUrl(bench))).toMatchObject({
      kind: 'denied',
      next: expect.stringContaining('sign-in'),
    });
  });

  it('takes a web page in the place of a file for what it is', async () => {
    const bench = await makeBench();
    bench.hub.files.set('config.json', new TextEncoder().encode('<html>Sign in</html>'));
    const fault = await faultOf(ofUrl(bench));
    expect(fault.message).toMatch(/config.json .* is a web page/);
  });
});

describe('a server that gives no answer', () => {
  const silent = (more: Partial<Web>): Web => ({
    ...WEB,
    fetch: () => Promise.reject(new TypeError('Failed to fetch')),
    ...more,
  });

  it('is distinguished from no network, from CORS, and from http on an https page', async () => {
    const bench = await makeBench();
    const origin = 'http://page.example';
    const kinds = await Promise.all([
      faultOf(ofHub(bench, silent({ online: () => false }))),
      faultOf(ofHub(bench, silent({}))),
      faultOf(ofHub(bench, silent({ origin }))),
      faultOf(
        ofHub(
          bench,
          silent({
            origin,
            fetch: (_, init) =>
              init?.mode === 'no-cors'
                ? Promise.resolve(new Response())
                : Promise.reject(new TypeError('Failed to fetch')),
          }),
        ),
      ),
    ]);
    expect(kinds.map(({ kind }) => kind)).toEqual([
      'offline',
      'unreachable',
      'unreachable',
      'cors',
    ]);
    expect(kinds[2]?.next).toContain('Open the address in another tab');
    expect(kinds[3]?.next).toContain('Access-Control-Allow-Origin');
    const mixed = await faultOf(
      planUrl(silent({ origin: 'https://page.example' }), {
        kind: 'url',
        url: 'http://x.example/',
      }),
    );
    expect(mixed.message).toContain('may not read x.example by http');
  });
});

describe('the plan of a folder of this machine', () => {
  const local = (files: Map<string, Uint8Array>, below = 'models/tiny/') =>
    [...files].map(([name, bytes]) => ({
      path: below + name,
      file: new File([new Uint8Array(bytes)], name),
    }));

  it('takes the outermost folder with a config.json', async () => {
    const files = [...local(shardedFiles(), 'tiny/old/'), ...local(shardedFiles(), 'tiny/')];
    const plan = await planLocal(files);
    expect(plan.source).toEqual({ kind: 'folder', name: 'tiny' });
    expect(plan.files).toHaveLength(6);
    expect(plan.files.every(({ exact, url }) => exact && url === null)).toBe(true);
  });

  it('says what a folder lacks', async () => {
    expect((await faultOf(planLocal([]))).message).toContain('no config.json');
    const pointer = new TextEncoder().encode('version https://git-lfs.github.com/spec/v1\noid');
    const files = shardedFiles().set('model-00001-of-00002.safetensors', pointer);
    expect(await faultOf(planLocal(local(files)))).toMatchObject({
      kind: 'incomplete',
      next: expect.stringContaining('git lfs pull'),
    });
  });
});

describe('the facts of a config', () => {
  it('count the parameters as the published shapes have them', () => {
    // Qwen2.5-0.5B: 494,032,768 by its model card (0.49 B, 0.36 B without the embedding).
    expect(factsOf(QWEN25_05B)).toMatchObject({
      family: 'qwen2',
      layers: 24,
      parameters: 494_032_768,
    });
    // Qwen3-0.6B and Llama-3.2-1B.
    const qwen3 = {
      ...QWEN25_05B,
      model_type: 'qwen3',
      hidden_size: 1024,
      num_hidden_layers: 28,
      num_attention_heads: 16,
      num_key_value_heads: 8,
      head_dim: 128,
      intermediate_size: 3072,
    };
    expect(factsOf(qwen3).parameters).toBe(596_049_920);
    expect(factsOf(LLAMA32_1B).parameters).toBe(1_235_814_400);
  });

  it('are null where the config does not say, or says nonsense', () => {
    expect(factsOf({})).toMatchObject({ family: null, layers: null, parameters: null });
    expect(factsOf({ hidden_size: 'many', num_hidden_layers: -3, vocab_size: 7 })).toMatchObject({
      hidden: null,
      layers: null,
      vocab: 7,
    });
  });
});
