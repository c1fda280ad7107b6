/**
 * Rollouts a second of one `lab serve-environment`, and its memory over many of them. A trainer in this process
 * answers at once, with searches for what the question's gold chain looks up and then the gold answer: what is
 * measured is the environment, and the JSON on both sides.
 *
 *   npx tsx bench/environment/run.ts [--rollouts 10000] [--at-once 480] [--recipe search-r1] [--set K=V]
 *
 * Processor time is the server's own (Linux): a busy machine does not add to it, and rollouts per second of it are
 * what a quiet core gives.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { fetchFromDisk } from '../../src/cli/shared/build-world.ts';
import { folderFiles } from '../../src/cli/shared/checkpoint-folder.ts';
import type { Health, SampleRequest, Turn } from '../../src/handover/environment/protocol.ts';
import { openReader } from '../../src/policy/open/reader.ts';
import { loadWorld } from '../../src/retrieval/world/load.ts';

const { values } = parseArgs({
  options: {
    rollouts: { type: 'string', default: '10000' },
    'at-once': { type: 'string', default: '480' },
    recipe: { type: 'string', default: 'search-r1' },
    set: { type: 'string', multiple: true, default: [] },
  },
});
const [wanted, atOnce] = [Number(values.rollouts), Number(values['at-once'])];

const { tokenizer } = await openReader(folderFiles('public/policy'));
const { questions } = await loadWorld(fetchFromDisk('public/world'));
const byText = new Map(questions.map((question) => [question.text, question]));

const special = (token: string): number => tokenizer.specialId(token) ?? tokenizer.endOfText;
const block = (name: string, text: string): number[] => [
  special(`<${name}>`),
  ...tokenizer.encodeText(` ${text} `),
  special(`</${name}>`),
];

/** What the policy of these rollouts writes, call by call: a search for each link of the chain, then the answer. */
function writes(question: string): number[][] {
  const known = byText.get(question);
  const searches = (known?.chain ?? []).map(({ query }) => [
    ...block('think', 'I need to find this out first .'),
    ...block('search', query),
  ]);
  const answer = [
    ...block('think', 'now I know it .'),
    ...block('short_answer', `\\boxed{ ${known?.answers[0] ?? 'unknown'} }`),
  ];
  return [...searches, answer];
}

const QUESTION = /<question>\s*(.*?)\s*<\/question>/;
const turns = new Map<string, number[][]>();

function answer({ id, rollout, context, scores }: SampleRequest): object {
  const left =
    turns.get(rollout) ?? writes(QUESTION.exec(tokenizer.decode(context))?.[1]?.trim() ?? '');
  turns.set(rollout, left);
  // Probes ask for an answer whose opening is written.
  const ids =
    scores === 'model'
      ? [...tokenizer.encodeText(' unknown }'), special('</short_answer>')]
      : (left.shift() ?? block('short_answer', '\\boxed{ unknown }'));
  return { id, ids, logprobs: ids.map(() => -0.5) };
}

const folder = mkdtempSync(join(tmpdir(), 'environment-'));
const record = join(folder, 'rollouts.jsonl');
const server = spawn(
  process.execPath,
  [
    '--import',
    'tsx',
    'src/cli/main.ts',
    'serve-environment',
    '--port=0',
    `--recipe=${values.recipe}`,
    `--rollouts=${record}`,
    ...values.set.flatMap((change) => ['--set', change]),
  ],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);

/** Seconds of processor time, and MiB in memory, of the server so far. */
function used(): { cpu: number; rss: number } {
  const stat = readFileSync(`/proc/${server.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const pages = Number(readFileSync(`/proc/${server.pid}/statm`, 'utf8').split(' ')[1]);
  return { cpu: (Number(stat[11]) + Number(stat[12])) / 100, rss: (pages * 4096) / 2 ** 20 };
}

async function url(): Promise<string> {
  for await (const line of createInterface({ input: server.stdout }))
    return (JSON.parse(line) as { url: string }).url;
  throw new Error('the server did not start');
}

const row = (cells: readonly string[]): void => console.log(`| ${cells.join(' | ')} |`);

try {
  const base = await url();
  const post = async (path: string, body: object): Promise<Turn> => {
    const reply = await fetch(base + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!reply.ok) throw new Error(await reply.text());
    return (await reply.json()) as Turn;
  };
  const { settings } = (await (await fetch(`${base}/v1/health`)).json()) as Health;
  const { groupSize, questions: perStep } = settings as { groupSize: number; questions: number };

  async function wave(from: number, size: number): Promise<number> {
    const episodes = Array.from({ length: size }, (_, i) => {
      const draw = Math.floor((from + i) / groupSize);
      const index = (from + i) % groupSize;
      return { id: `r${from + i}`, draw, index, step: 1 + Math.floor(draw / perStep) };
    });
    let turn = await post('/v1/open', { rollouts: episodes });
    let done = turn.done.length;
    while (turn.requests.length > 0) {
      turn = await post('/v1/step', { answers: turn.requests.map(answer) });
      done += turn.done.length;
    }
    turns.clear();
    return done;
  }

  const first = used();
  const start = performance.now();
  row(['rollouts', 'rollouts/s', 'rollouts/CPU s', 'server, MiB', 'record, MiB', 'load']);
  row(['---', '---', '---', '---', '---', '---']);
  let done = 0;
  let shown = 0;
  while (done < wanted) {
    done += await wave(done, Math.min(atOnce, wanted - done));
    if (done - shown < wanted / 10 && done < wanted) continue;
    shown = done;
    const { cpu, rss } = used();
    row([
      String(done),
      (done / ((performance.now() - start) / 1000)).toFixed(0),
      (done / (cpu - first.cpu)).toFixed(0),
      rss.toFixed(0),
      (statSync(record).size / 2 ** 20).toFixed(0),
      (loadavg()[0] ?? 0).toFixed(1),
    ]);
  }
} finally {
  server.kill('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
}
