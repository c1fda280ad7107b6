/**
 * Records what Ask shows before the first run: a training of the built-in model that begins without searches, and
 * eight rollouts of one question before and after it. Takes minutes; times are CPU seconds per core, so other work
 * on the machine does not change them (Linux).
 *
 *   npx tsx scripts/record-hero.ts [folder of the run, made where it is missing]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runGroup } from '../src/agent/run.ts';
import { openParts } from '../src/cli/shared/parts.ts';
import { adapterAt, readRun, readSteps } from '../src/cli/train/folder.ts';
import { getRecipe } from '../src/systems/index.ts';
import type { Rollout } from '../src/records/rollout.ts';
import {
  recordingSchema,
  type RecordedStep,
  type Recording,
} from '../src/ui/ask/hero/recording.ts';
import { EXAMPLES } from '../src/ui/ask/store/examples.ts';
import '../src/systems/rewards.ts';

const FILE = resolve(import.meta.dirname, '../src/ui/ask/hero/recording.json');
const CORES = 2;
const SIZE = 8;
/** Longest text of a step that is kept, in characters. */
const LONGEST = 140;
const TIMES = 'cpu-seconds.json';

/** As the tour trains, with a score after every step. */
const TRAIN =
  'train --recipe search/grpo --set start=not-searching --steps 10 --set questions=4 ' +
  `--set heldOut.every=1 --threads ${CORES} --json`;

/** User and system time of a process and its threads so far, seconds. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  // Fields 14 and 15 of proc(5), in ticks of 10 ms.
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Trains, and stores the CPU time of the process over time beside the run: [Unix time in ms, CPU seconds per core]. */
async function makeRun(run: string): Promise<void> {
  const args = ['--import', 'tsx', 'src/cli/main.ts', ...TRAIN.split(' '), '--out', run];
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  const times: [number, number][] = [];
  const look = () => times.push([Date.now(), cpuSeconds(child.pid ?? 0) / CORES]);
  const timer = setInterval(look, 500);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearInterval(timer);
  if (code !== 0) throw new Error(`the training ended with status ${code}`);
  writeFileSync(join(run, TIMES), JSON.stringify(times));
}

const short = (text: string): string => {
  const plain = text.replaceAll(/\s+/gu, ' ').trim();
  return plain.length <= LONGEST ? plain : `${plain.slice(0, LONGEST - 1).trimEnd()}…`;
};

function stepsOf({ events, metrics, answer }: Rollout): RecordedStep[] {
  const steps = events.flatMap((event): RecordedStep[] => {
    if (event.kind === 'think') return [{ kind: 'think', text: short(event.text) }];
    if (event.kind !== 'retrieve' || event.source === 'both') return [];
    const { source, query, hits, newSupporting } = event;
    const titles = [...new Set(hits.map(({ passage }) => passage.title))];
    return [
      { kind: 'search', source, query: short(query) },
      { kind: 'read', source, titles, supporting: newSupporting?.length ?? 0 },
    ];
  });
  return [...steps, { kind: 'answer', text: short(answer ?? ''), right: metrics?.em === 1 }];
}

const run = resolve(process.argv[2] ?? mkdtempSync(join(tmpdir(), 'forage-hero-')));
if (!existsSync(join(run, TIMES))) await makeRun(run);

const recipe = getRecipe('search');
async function rolloutsAt(step: number) {
  const { folder } = adapterAt({ run, step }, console.log);
  const parts = await openParts({ device: 'wasm', adapter: folder });
  const question = parts.world.questions.find(({ text }) => text === EXAMPLES[0]);
  if (!question) throw new Error(`the world has no question “${EXAMPLES[0]}”`);
  const rollouts = await runGroup(parts.deps, {
    question,
    recipe,
    // The prior router takes one source per query, so that local and web are seen.
    overrides: { retrieval: { source: 'router' } },
    seed: 1,
    size: SIZE,
    runId: 'hero',
    groupId: `step-${step}`,
    step,
  });
  const { info } = parts.deps.policy;
  parts.dispose();
  return { question, info, rollouts: rollouts.map(stepsOf) };
}

const { settings } = readRun(run);
const steps = readSteps(run);
const times = JSON.parse(readFileSync(join(run, TIMES), 'utf8')) as [number, number][];
/** CPU seconds per core until a time. */
const secondsAt = (ms: number): number => times.findLast(([at]) => at <= ms)?.[1] ?? NaN;
const before = await rolloutsAt(0);
const after = await rolloutsAt(settings.steps);
const [first] = steps;
if (!first?.heldOutAtStart) throw new Error(`${run} has no score before its first step`);
const endOf = ({ at }: { at: string }): number => Date.parse(at);
const began = secondsAt(endOf(first) - first.seconds.total * 1000);
const points = [
  { step: 0, seconds: 0, em: first.heldOutAtStart.em },
  ...steps.map((made) => ({
    step: made.step,
    seconds: Math.round(secondsAt(endOf(made)) - began),
    em: made.heldOut?.em ?? NaN,
  })),
];
const recording: Recording = {
  format: 'forage.hero/1',
  day: (steps.at(-1)?.at ?? '').slice(0, 10),
  model: { id: before.info.id, parameters: before.info.parameters },
  question: {
    id: before.question.id,
    text: before.question.text,
    gold: before.question.answers[0] ?? '',
  },
  run: {
    preset: settings.preset,
    cores: CORES,
    questionsPerStep: settings.questions,
    groupSize: settings.groupSize,
    heldOut: first.heldOutAtStart.n,
    points,
  },
  before: before.rollouts,
  after: after.rollouts,
};
writeFileSync(FILE, `${JSON.stringify(recordingSchema.parse(recording), null, 1)}\n`);
console.log(JSON.stringify(recording.run.points));
for (const name of ['before', 'after'] as const)
  console.log(
    name,
    recording[name].map((steps) =>
      steps
        .map(
          (s) =>
            s.kind.charAt(0) +
            ('source' in s ? s.source.charAt(0) : '') +
            ('right' in s ? s.right : ''),
        )
        .join(' '),
    ),
  );
