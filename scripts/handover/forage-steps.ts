/**
 * One step of Forage's own training, or more, and the folder that makes the same steps elsewhere:
 *
 *     tsx scripts/handover/forage-steps.ts OUT RECIPE TRAINER [setting=value …]
 *
 * OUT/steps.jsonl and rollouts.jsonl are of these steps, OUT/after the adapter after them, and OUT/folder
 * the export, whose adapter/ is the one before them.
 */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readSource, readHandoverFile } from '../../src/cli/parts/export-source.ts';
import { openFolder, openWorld } from '../../src/cli/shared/parts.ts';
import { startThreads } from '../../src/cli/train/threads.ts';
import { exportFolder } from '../../src/handover/export/export-folder.ts';
import { TRAINERS } from '../../src/handover/export/parts/experiment.ts';
import { trainRun } from '../../src/learn/rl/loop.ts';
import { initialState } from '../../src/learn/rl/state.ts';
import { assembleRun } from '../../src/learn/run/assemble.ts';
import { writePeft } from '../../src/policy/lora/peft.ts';
import { prepareNode } from '../../src/policy/node/prepare.ts';
import { openReader } from '../../src/policy/open/reader.ts';
import '../../src/systems/rewards.ts';

const [out, recipe, to, ...changes] = process.argv.slice(2);
const trainer = TRAINERS.find((name) => name === to);
if (out === undefined || recipe === undefined || !trainer)
  throw new Error(`forage-steps.ts OUT RECIPE ${TRAINERS.join('|')} [setting=value …]`);

const set = ['steps=1', 'stages.0.steps=1', 'heldOut.questions=0', ...changes];
const source = await readSource({ recipe }, { set });
const { settings } = source;
const checkpoint = await openFolder(undefined);
const { config } = checkpoint;
prepareNode();
const { world, retriever, router } = await openWorld(undefined);
const threads = await startThreads({
  threads: 2,
  folder: checkpoint.path,
  id: checkpoint.id,
  device: 'wasm',
  weights: undefined,
  keys: 'f32',
  adapter: settings.adapter,
  microTokens: 2048,
  reader: await openReader(checkpoint.files),
});
const state = initialState(settings, config);
// B is zero at first, so that a step from there moves A by nothing: it begins a little away from it.
state.adapter = state.adapter.map((value, i) => (value === 0 ? 0.01 * Math.sin(i) : value));
const before = writePeft(config, settings.adapter, state.adapter, checkpoint.id);

function write(folder: string, path: string, content: string | Uint8Array): void {
  const target = join(folder, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, content);
}

const run = { id: 'forage-steps', step: 0, curriculum: null, adapter: before };
for (const file of await exportFolder({ ...source, run }, trainer, { read: readHandoverFile }))
  write(join(out, 'folder'), file.path, file.content);

try {
  const { state: after } = await trainRun({
    settings,
    state,
    deps: await assembleRun(settings, {
      policy: threads.policy,
      learner: threads.learner,
      config,
      retriever,
      router,
      questions: world.questions,
      demonstrations: () => '',
      runId: run.id,
      now: Date.now,
      onNotice: (line) => console.error(line),
    }),
    hooks: {
      onStep: (record, rollouts) => {
        appendFileSync(join(out, 'steps.jsonl'), `${JSON.stringify(record)}\n`);
        const lines = rollouts.map((rollout) => `${JSON.stringify(rollout)}\n`);
        appendFileSync(join(out, 'rollouts.jsonl'), lines.join(''));
      },
    },
  });
  for (const { name, bytes } of writePeft(config, settings.adapter, after.adapter, checkpoint.id))
    write(join(out, 'after'), name, bytes);
} finally {
  await threads.close();
}
