import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { writeSafetensors } from '../../../../src/policy/checkpoint/safetensors.ts';

/** A server with the calls of a Hugging Face hub and with plain folders, and with faults to plant. */

export interface HubServer {
  url: string;
  /** Files by name; those of `/owner/name/resolve/…` and of `/folder/` are the same. */
  files: Map<string, Uint8Array>;
  /** Requests of file bodies, in order. */
  asked: { name: string; from: number; ifRange: string | null; sent: number }[];
  /** Cuts the connection when this many bytes of a file were sent, counted from its begin. */
  cutAt: Map<string, number[]>;
  /** Sends nothing of a file from this byte on until the request ends, where set. */
  holdAt: Map<string, number>;
  ranges: boolean;
  head: boolean;
  etags: boolean;
  cors: boolean;
  /** Bytes a second; sends at once where it is null. */
  rate: number | null;
  /** Files and API are given to those who send it only. */
  token: string | null;
  /** Another repository with the same files; none unless it is set. */
  also: string | null;
  /** Status and code header that answer every request, where set. */
  refuse: { status: number; code?: string; headers?: Record<string, string> } | null;
  /** Changes the hub's answer before it is sent. */
  spoil: ((info: Record<string, unknown>) => unknown) | null;
  close(): Promise<void>;
}

const sha = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const COMMIT = '0123456789abcdef0123456789abcdef01234567';

/** Weights of this many float32 values, random but the same each time. */
export const weights = (name: string, values: number, seed = 1): Uint8Array => {
  const data = new Float32Array(values);
  for (let i = 0, x = seed; i < values; i++) {
    x = (Math.imul(x, 1664525) + 1013904223) | 0;
    data[i] = x / 2 ** 31;
  }
  return writeSafetensors(new Map([[name, { shape: [values], data }]]));
};

const text = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

/** A checkpoint in two shards, of this many values each. */
export const shardedFiles = (values = 50_000, last = values): Map<string, Uint8Array> => {
  const first = 'model-00001-of-00002.safetensors';
  const second = 'model-00002-of-00002.safetensors';
  return new Map([
    ['config.json', text(CONFIG)],
    ['tokenizer.json', text({ version: '1.0', model: { type: 'BPE', vocab: {}, merges: [] } })],
    ['tokenizer_config.json', text({ eos_token: '<|im_end|>' })],
    ['README.md', new TextEncoder().encode('# A model')],
    ['model.safetensors.index.json', text({ weight_map: { a: first, b: second, c: first } })],
    [first, weights('a', values, 1)],
    [second, weights('b', last, 2)],
  ]);
};

export const CONFIG = {
  architectures: ['Qwen2ForCausalLM'],
  model_type: 'qwen2',
  vocab_size: 1000,
  hidden_size: 64,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  intermediate_size: 128,
  max_position_embeddings: 32768,
  tie_word_embeddings: true,
  torch_dtype: 'bfloat16',
};

const info = (files: Map<string, Uint8Array>): Record<string, unknown> => ({
  id: 'forage/tiny',
  sha: COMMIT,
  gated: false,
  siblings: [...files].map(([rfilename, bytes]) => ({
    rfilename,
    size: bytes.length,
    ...(/\.(safetensors|gguf)$/.test(rfilename) && {
      lfs: { sha256: sha(bytes), size: bytes.length, pointerSize: 135 },
    }),
  })),
});

export async function startHub(files = shardedFiles()): Promise<HubServer> {
  const hub: HubServer = {
    url: '',
    files,
    asked: [],
    cutAt: new Map(),
    holdAt: new Map(),
    ranges: true,
    head: true,
    etags: true,
    cors: true,
    rate: null,
    token: null,
    also: null,
    refuse: null,
    spoil: null,
    close: () => Promise.resolve(),
  };

  const send = (request: IncomingMessage, response: ServerResponse, name: string): void => {
    const bytes = hub.files.get(name);
    if (!bytes) {
      response.writeHead(404, { 'X-Error-Code': 'EntryNotFound' }).end('no such file');
      return;
    }
    const tag = `"${sha(bytes).slice(0, 16)}"`;
    if (hub.etags) response.setHeader('ETag', tag);
    const ifRange = request.headers['if-range'] ?? null;
    const wanted = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
    const honoured =
      hub.ranges && wanted && (ifRange === null || ifRange === tag) ? Number(wanted[1]) : null;
    const from = honoured ?? 0;
    const last = honoured !== null && wanted?.[2] ? Number(wanted[2]) + 1 : bytes.length;
    const end = Math.min(last, bytes.length);
    if (honoured !== null && from >= bytes.length) {
      response.writeHead(416, { 'Content-Range': `bytes */${bytes.length}` }).end();
      return;
    }
    response.setHeader('Content-Length', end - from);
    if (honoured !== null)
      response.setHeader('Content-Range', `bytes ${from}-${end - 1}/${bytes.length}`);
    response.writeHead(honoured === null ? 200 : 206);
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    const record = { name, from, ifRange: ifRange as string | null, sent: 0 };
    hub.asked.push(record);
    const cuts = hub.cutAt.get(name) ?? [];
    const cut = cuts.find((at) => at >= from && at < end);
    if (cut !== undefined) cuts.splice(cuts.indexOf(cut), 1);
    void pour(response, bytes.subarray(0, cut ?? end), record, cut !== undefined);
  };

  const pour = async (
    response: ServerResponse,
    bytes: Uint8Array,
    record: { name: string; from: number; sent: number },
    cut: boolean,
  ): Promise<void> => {
    const closed = new Promise<void>((resolve) => response.once('close', resolve));
    const step = hub.rate === null ? 64 * 1024 : Math.max(1, Math.round(hub.rate / 20));
    for (let at = record.from; at < bytes.length; at += step) {
      if (at >= (hub.holdAt.get(record.name) ?? Infinity)) {
        await closed;
        return;
      }
      const piece = bytes.subarray(at, at + step);
      const written = new Promise<void>((resolve) => {
        response.write(piece, () => resolve());
      });
      await Promise.race([written, closed]);
      if (response.destroyed) return;
      record.sent += piece.length;
      if (hub.rate !== null) await new Promise((resolve) => setTimeout(resolve, 50));
    }
    // Half-closed, so that what was sent arrives before the cut is noticed.
    if (cut) response.socket?.end();
    else response.end();
  };

  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    if (hub.cors) {
      response.setHeader('Access-Control-Allow-Origin', '*');
      response.setHeader('Access-Control-Expose-Headers', 'ETag, Content-Range, X-Error-Code');
    }
    if (hub.refuse) {
      const { status, code, headers } = hub.refuse;
      response.writeHead(status, { ...(code && { 'X-Error-Code': code }), ...headers }).end('no');
      return;
    }
    if (hub.token !== null && request.headers.authorization !== `Bearer ${hub.token}`) {
      response.writeHead(401, { 'X-Error-Code': 'GatedRepo' }).end('who are you');
      return;
    }
    if (request.method === 'HEAD' && !hub.head) {
      response.writeHead(405).end();
      return;
    }
    // One repository of two names is one to all that follows.
    const asked = hub.also === null ? pathname : pathname.replace(`/${hub.also}/`, '/forage/tiny/');
    if (asked === '/api/models/forage/tiny/revision/main') {
      const answer = info(hub.files);
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify(hub.spoil ? hub.spoil(answer) : answer));
      return;
    }
    const file = /^\/(?:forage\/tiny\/resolve\/[0-9a-f]+|folder)\/(.+)$/.exec(asked)?.[1];
    if (file === undefined) {
      response.writeHead(404, { 'X-Error-Code': 'RepoNotFound' }).end('not here');
      return;
    }
    send(request, response, file);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no address');
  hub.url = `http://localhost:${address.port}`;
  hub.close = () =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return hub;
}
