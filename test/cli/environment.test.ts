import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { describeExperiment, readExperiment } from '../../src/cli/parts/environment-experiment.ts';
import { openSources } from '../../src/cli/shared/parts.ts';
import { environmentHash, type Experiment } from '../../src/handover/environment/experiment.ts';
import type { Health, Turn } from '../../src/handover/environment/protocol.ts';
import { getTraining } from '../../src/systems/index.ts';
import { readRecord } from '../../src/formats/rollouts/detect.ts';
import { serve, type TestServer } from '../retrieval/engines/server.ts';
import { DOCUMENTS, searchR1Reply } from '../retrieval/engines/strict.ts';
import { HuggingFaceTokenizer } from '../../src/policy/open/tokenizer.ts';
import { idsOf } from '../agent/scripted-policy.ts';
import { lab, labHere } from './lab.ts';
import { packedLab } from './packed.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'environment-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

interface Started {
  child: ChildProcess;
  url: string;
  hash: string;
  errors: () => string;
}

/** Starts a server as a user does, and waits for its line. */
async function start(...args: string[]): Promise<Started> {
  const words = ['serve-environment', '--port', '0', ...args];
  const child = spawn(process.execPath, [...packedLab(), ...words]);
  children.push(child);
  let errors = '';
  child.stderr.on('data', (chunk) => (errors += String(chunk)));
  for await (const line of createInterface({ input: child.stdout })) {
    const told = JSON.parse(line) as { url: string; hash: string };
    return { child, ...told, errors: () => errors };
  }
  throw new Error(errors);
}

const post = async (url: string, body: object, token?: string): Promise<Turn> => {
  const reply = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  return (await reply.json()) as Turn;
};

const read = (name: string): object =>
  JSON.parse(readFileSync(`public/policy/${name}`, 'utf8')) as object;
const shipped = new HuggingFaceTokenizer(read('tokenizer.json'), read('tokenizer_config.json'));
const ANSWER = idsOf('<think> b </think><short_answer> \\boxed{ x } </short_answer>', shipped);

async function experiment(): Promise<Experiment> {
  const sources = await openSources({});
  return describeExperiment(getTraining('search-r1'), {}, sources);
}

/** An exported folder: tokenizer and questions beside `experiment.json`. */
async function exported(name: string): Promise<{ file: string; experiment: Experiment }> {
  const own = join(folder, name);
  cpSync('public/policy', join(own, 'tokenizer'), {
    recursive: true,
    filter: (path) => !path.endsWith('.safetensors'),
  });
  const described = await experiment();
  const whole = { ...described, policy: { ...described.policy, tokenizer: 'tokenizer' } };
  const file = join(own, 'experiment.json');
  writeFileSync(file, JSON.stringify(whole));
  return { file, experiment: described };
}

describe('lab serve-environment', () => {
  it('serves an exported folder, records, and ends politely', async () => {
    const { file, experiment: described } = await exported('whole');
    const rollouts = join(folder, 'rollouts.jsonl');
    // What a killed process left of a line.
    writeFileSync(rollouts, '{"format":"forage.roll');
    const { child, url, hash } = await start(
      `--experiment=${file}`,
      `--rollouts=${rollouts}`,
      '--token=secret',
    );
    expect(hash).toBe(await environmentHash(described));
    const health = await fetch(`${url}/v1/health`, { headers: { authorization: 'Bearer secret' } });
    expect((await health.json()) as Health).toMatchObject({
      hash,
      runId: 'search-r1-grpo-0',
      policy: { id: 'baize-mini', vocabulary: 2304 },
    });
    expect(await post(`${url}/v1/open`, {})).toMatchObject({
      error: expect.stringMatching(/token/),
    });
    const episodes = [
      { id: 'a', draw: 0, step: 1 },
      { id: 'b', draw: 0, index: 1, step: 1 },
    ];
    const { requests } = await post(`${url}/v1/open`, { rollouts: episodes }, 'secret');
    const [a] = requests.map(({ id }) => ({ id, ids: ANSWER }));
    const { done } = await post(`${url}/v1/step`, { answers: [a] }, 'secret');
    expect(done).toMatchObject([{ rollout: 'a', answer: 'x' }]);
    child.kill('SIGTERM');
    const [status] = (await once(child, 'exit')) as [number];
    expect(status).toBe(0);
    const [torn, line, ...rest] = readFileSync(rollouts, 'utf8').split('\n');
    expect(torn).toBe('{"format":"forage.roll');
    expect(rest).toEqual(['']);
    const { rollout, layout } = readRecord(JSON.parse(line ?? ''), {
      name: 'rollouts.jsonl',
      line: 1,
    });
    expect([layout, rollout.id]).toEqual(['forage', 'a']);
  });

  it('does not serve files that have changed', async () => {
    const { file } = await exported('changed');
    appendFileSync(join(folder, 'changed', 'tokenizer', 'tokenizer_config.json'), '\n');
    await expect(readExperiment(file)).rejects.toThrow(/tokenizer has changed since/);
  });

  it.each([
    [['--host', '0.0.0.0', '--recipe', 'search-r1'], /--host 0\.0\.0\.0 .* set --token/],
    [['--recipe', 'search-r1', '--shard', '2/2'], /--shard is '2\/2'/],
    [['--recipe', 'search-r1', '--set', 'overrides.sampling.topK=5'], /top-k 5 is refused/],
    [['--recipe', 'search-r1', '--set', 'router.train=alone'], /router\.train/],
    [[], /needs --recipe/],
    [['--experiment', 'nowhere.json'], /nowhere\.json cannot be read/],
    [['--experiment', 'package.json'], /package\.json: experiment: schema/],
    [['--experiment', 'x', '--set', 'steps=1'], /has its own --set; leave it out/],
    [['--recipe', 'search-r1', '--engine', 'nothing=localhost'], /KIND=URL, with a KIND of/],
    [['--recipe', 'search-r1', '--max-context', '99999'], /the checkpoint's limit is 2048 tokens/],
  ])('%j ends with one line and status 2', async (args, words) => {
    const { status, err, out } = await labHere('serve-environment', ...args);
    expect(status).toBe(2);
    expect(err.trim()).toMatch(words);
    expect(err.trim()).not.toContain('\n');
    expect(out).toBe('');
  });

  it('says which port is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      const run = lab('serve-environment', '--recipe', 'search-r1', '--port', String(port));
      expect(run.status).toBe(2);
      expect(run.err).toMatch(/Cannot listen on 127\.0\.0\.1:\d+: .*EADDRINUSE.*--port/);
    } finally {
      server.close();
    }
  });
});

describe('--engine', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await serve(searchR1Reply);
  });
  afterAll(() => server.close());

  it('is searched in place of the web, and alone', async () => {
    const out = join(folder, 'engine.jsonl');
    const { status, err } = await labHere(
      'rollout',
      '--recipe=naive-rag',
      '--limit=2',
      `--out=${out}`,
      `--engine=search-r1=${server.url}`,
      '--engine-calls=8',
    );
    expect([status, err]).toEqual([0, expect.stringContaining('2 rollouts written')]);
    const records = readFileSync(out, 'utf8').trim().split('\n');
    for (const line of records) {
      for (const { id } of DOCUMENTS.slice(0, 2)) expect(line).toContain(`search-r1/${id}`);
      const { question } = JSON.parse(line) as { question: { text: string } };
      expect(server.asked.map(({ body }) => body).join('\n')).toContain(question.text);
    }
  });

  it('that does not answer is said at once', async () => {
    const { status, err } = await labHere('rollout', '--limit=1', '--engine=search-r1=localhost:1');
    expect(status).toBe(2);
    expect(err).toMatch(/--engine search-r1=http:\/\/localhost:1\/retrieve: /);
  });
});
