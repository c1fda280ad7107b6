import { createJudge } from '../../../src/evaluate/judge/judge.ts';
import { readVerdict } from '../../../src/evaluate/judge/judge.ts';
import { EndpointClient } from '../../../src/policy/remote/endpoint/client.ts';
import { EndpointError, faultOfStatus } from '../../../src/policy/remote/endpoint/errors.ts';
import type { Random } from '../../../src/base/random.ts';
import { EngineError } from '../../../src/retrieval/engines/http/errors.ts';
import { EngineHttp } from '../../../src/retrieval/engines/http/http.ts';
import { engineOf } from '../../../src/retrieval/engines/open.ts';
import { factsOf } from '../../../src/lab/models/checkpoints/facts.ts';
import { CheckpointFault } from '../../../src/lab/models/checkpoints/plan/fault.ts';
import { planSchema } from '../../../src/lab/contract/records/checkpoints.ts';
import { planLocal } from '../../../src/lab/models/checkpoints/plan/plan-folder.ts';
import { planHub } from '../../../src/lab/models/checkpoints/plan/plan-hub.ts';
import { HUB } from '../../../src/lab/models/checkpoints/plan/source.ts';
import { DOCUMENTS, LINES, wikiFixture } from '../../retrieval/engines/strict.ts';
import { shardedFiles } from '../../lab/models/checkpoints/hub-server.ts';
import { bytesOf, mutateBytes, mutateJsonFile, mutateText, pick, textOf } from './mutate.ts';
import { must, subject, type Subject } from './subject.ts';
import { ENGINES } from '../../../src/retrieval/engines/kinds/list.ts';

/** Answers of servers: language models, search engines, model hubs, judges. */

type Bytes = Uint8Array<ArrayBuffer>;

const token = { token: 'x', logprob: -1, top_logprobs: [{ token: 'x', logprob: -1 }] };
const CHAT = {
  choices: [{ delta: { content: 'x' }, logprobs: { content: [token] }, finish_reason: null }],
};
const TEXT = {
  choices: [
    { text: 'x', logprobs: { tokens: ['x'], token_logprobs: [null] }, finish_reason: 'stop' },
  ],
};
const END = { choices: [{ delta: {}, finish_reason: 'stop' }] };

const stream = (...events: unknown[]): string =>
  [...events.map((event) => JSON.stringify(event)), '[DONE]']
    .map((data) => `data: ${data}\n\n`)
    .join('');

const CALLS = {
  models: JSON.stringify({ object: 'list', data: [{ id: 'a', object: 'model' }] }),
  chat: JSON.stringify({ choices: [{ message: { role: 'assistant', content: 'x' } }] }),
  streamedChat: stream(CHAT, CHAT, END),
  streamedText: stream(TEXT, TEXT),
} as const;
type Call = keyof typeof CALLS;
const OPTIONS = { maxTokens: 8, temperature: 1, topP: 1, topK: 0, stop: [], seed: 7 };

async function drain(pieces: AsyncIterable<{ text: string; logprob?: number }>): Promise<void> {
  for await (const { text, logprob } of pieces) {
    must(typeof text === 'string', 'a piece that is no text');
    must(
      logprob === undefined || Number.isFinite(logprob),
      'a log-probability that is not a finite number ≤ 0',
    );
  }
}

async function ask(call: Call, body: Bytes, status: number): Promise<void> {
  const client = new EndpointClient({
    url: 'http://x/v1',
    model: 'm',
    retries: 0,
    fetch: () => Promise.resolve(new Response(body, { status })),
  });
  if (call === 'models')
    must(
      (await client.models()).every((id) => typeof id === 'string'),
      'no id',
    );
  else if (call === 'chat') await client.chat([], OPTIONS);
  else if (call === 'streamedText') await drain(client.continueText('', OPTIONS));
  else await drain(client.continueChat([], OPTIONS));
}

/** Events of a stream: one of them changed as JSON, or bytes anywhere. */
function mutateStream(text: string, random: Random): Bytes {
  if (random.uniform() < 0.5) return mutateBytes(bytesOf(text), random);
  const events = text.split('\n\n').filter(Boolean);
  const at = random.below(events.length - 1);
  const data = mutateJsonFile(bytesOf(events[at]!.slice('data: '.length)), random);
  events[at] = `data: ${textOf(data)}`;
  return bytesOf(events.map((event) => `${event}\n\n`).join(''));
}

const endpoint = (call: Call): Subject =>
  subject<{ body: Bytes; status: number }>({
    name: `endpoint: ${call}`,
    unit: 300,
    make: (random) => ({
      body: call.startsWith('streamed')
        ? mutateStream(CALLS[call], random)
        : mutateJsonFile(bytesOf(CALLS[call]), random),
      status: random.uniform() < 0.9 ? 200 : pick(random, [400, 401, 404, 413, 429, 500]),
    }),
    read: ({ body, status }) => ask(call, body, status),
    refuses: (error) => error instanceof EndpointError,
  });

const RECORDED: Readonly<Record<string, string[]>> = {
  mediawiki: ['wolf', 'wolf-part1', 'wolf-snippets', 'no-extracts', 'error'].map(wikiFixture),
  searxng: [
    JSON.stringify({ results: [{ url: 'https://a.b/', title: 'A', content: '<b>x</b>.' }] }),
  ],
  'search-r1': [
    JSON.stringify({ result: [DOCUMENTS.map((document) => ({ document, score: 0.5 }))] }),
  ],
  'r1-searcher': [JSON.stringify({ queries: ['q'], answers: [LINES] })],
  research: [JSON.stringify([[DOCUMENTS], [[0.9, 0.8, 0.7]]])],
};

/** Answers of a kind as they were recorded; every kind has some. */
function recorded(kind: string): string[] {
  const found = RECORDED[kind];
  if (!found) throw new Error(`no answers of ${kind} are recorded: add some to RECORDED`);
  return found;
}

async function search(kind: string, body: Bytes): Promise<void> {
  const fetch = () => Promise.resolve(new Response(body));
  const clock = { now: () => 0, sleep: () => Promise.resolve(), random: () => 0 };
  const http = new EngineHttp({ ...clock, fetch }, { retries: 0, intervalMs: 0 });
  const engine = engineOf({ kind, url: 'http://engine.test/api.php' });
  const meter = { requests: 0, bytes: 0 };
  for (const { passage } of await engine.search({ query: 'wolf', k: 5, http, meter })) {
    must(passage.text === passage.sentences.join(' '), 'a text that is not its sentences');
    must(passage.text !== '' && passage.text.length <= 3100, 'an empty or long passage');
    must(!/[\p{Cs}\p{Cc}]/u.test(passage.text), 'a text with control characters');
    must(passage.url === undefined || /^https?:/u.test(passage.url), 'an address that is none');
  }
}

const engine = (kind: string): Subject =>
  subject<Bytes>({
    name: `search engine: ${kind}`,
    unit: 300,
    make: (random) => mutateJsonFile(bytesOf(pick(random, recorded(kind))), random),
    read: (body) => search(kind, body),
    refuses: (error) => error instanceof EngineError,
  });

const SHARDED = shardedFiles(4);
const INDEX = 'model.safetensors.index.json';
const INFO = JSON.stringify({
  id: 'forage/tiny',
  sha: '0123456789abcdef0123456789abcdef01234567',
  siblings: [...SHARDED].map(([rfilename, { length }]) => ({
    rfilename,
    size: length,
    lfs: rfilename.endsWith('.safetensors') ? { sha256: 'a'.repeat(64), size: length } : null,
  })),
});

/** One damaged answer of a hub, or file of a folder, beside whole ones. */
interface Listing {
  name: 'info' | typeof INDEX | 'config.json';
  bytes: Bytes;
  from: 'hub' | 'folder';
}

const sourceOf = (name: Listing['name']): Bytes =>
  name === 'info' ? bytesOf(INFO) : new Uint8Array(SHARDED.get(name)!);

async function plan({ name, bytes, from }: Listing): Promise<void> {
  const files = new Map<string, Bytes>();
  for (const [file, part] of SHARDED) files.set(file, new Uint8Array(part));
  files.set(name, bytes);
  const web = {
    online: () => true,
    origin: null,
    fetch: (input: RequestInfo | URL) => {
      const url = input instanceof Request ? input.url : String(input);
      const asked = url.includes('/api/models/') ? 'info' : (url.split('/').at(-1) ?? '');
      return Promise.resolve(new Response(files.get(asked) ?? bytesOf(INFO)));
    },
  };
  const hub = { kind: 'hub', base: HUB, repository: 'forage/tiny', revision: 'main' } as const;
  const made =
    from === 'hub'
      ? (await planHub(web, hub)).plan
      : await planLocal(
          [...files].map(([file, part]) => ({
            path: `tiny/${file}`,
            file: new File([part], file),
          })),
        );
  const checked = planSchema.parse(made);
  factsOf(checked.config);
  for (const file of checked.files)
    must(/^[A-Za-z0-9][\w.-]*$/.test(file.name), 'an odd file name');
}

const QUESTION = { question: 'Where?', golds: ['Oslo'], prediction: 'In Oslo' };
const REPLIES = [
  'True', '<think>It says Oslo.</think>\n\nVerdict: **False**', 'The judgement is true.', 'false\n\ntrue', 'constructor',
] as const; // prettier-ignore

export const SERVER_SUBJECTS: readonly Subject[] = [
  ...(Object.keys(CALLS) as Call[]).map(endpoint),
  subject<{ status: number; body: string }>({
    name: 'endpoint: refusal',
    unit: 300,
    make: (random) => ({
      status: pick(random, [400, 401, 403, 404, 405, 413, 429, 500, 503, 418]),
      body: textOf(
        mutateJsonFile(
          bytesOf(JSON.stringify({ error: { message: 'no such model', code: 1 } })),
          random,
        ),
      ),
    }),
    read: ({ status, body }) => {
      throw faultOfStatus(status, body, { url: 'http://x/v1', model: 'm' });
    },
    refuses: (error) => error instanceof EndpointError,
  }),
  ...ENGINES.map(({ id }) => engine(id)),
  subject<Listing>({
    name: 'hub and folder listings',
    unit: 300,
    make: (random) => {
      const name = pick(random, ['info', INDEX, 'config.json'] as const);
      const from = name === 'info' || random.uniform() < 0.5 ? 'hub' : 'folder';
      return { name, from, bytes: mutateJsonFile(sourceOf(name), random) };
    },
    read: plan,
    refuses: (error) => error instanceof CheckpointFault && error.next !== '',
  }),
  subject<string>({
    name: 'judge replies',
    unit: 500,
    make: (random) =>
      mutateText(pick(random, REPLIES), random, [
        'true',
        'False',
        'verdict:',
        '<think>',
        '</think>',
      ]),
    read: async (said) => {
      const judge = createJudge({ id: 'fuzz', complete: () => Promise.resolve(said) });
      const { verdict } = await judge.judge(QUESTION);
      must(['right', 'wrong', 'unreadable'].includes(verdict), 'no verdict');
      must(verdict === readVerdict(said), 'another verdict');
      return verdict === 'unreadable' ? ['unreadable'] : [];
    },
    refuses: () => false,
  }),
];
