/**
 * Live bytes over a long run of small steps, sampling, update and new adapters included:
 * `npx tsx bench/train/memory.ts [--steps 1000] [--every 100] [--questions 2] [--group 4]`.
 *
 * - Live: what sampler and trainer hold on their device between two steps, the weights included.
 * - Memory: every WebAssembly memory of this process. These only ever grow, to the longest step so far.
 */
import { parseArgs } from 'node:util';
import { heldOutSample } from '../../src/learn/rl/held-out.ts';
import { getTraining } from '../../src/systems/index.ts';
import { parseJson } from '../../src/base/fetch-file.ts';
import { parsePolicyConfig } from '../../src/policy/checkpoint/config.ts';
import { prepareNode } from '../../src/policy/node/prepare.ts';
import { openFolder, openWorld, policyFolder } from '../../src/cli/shared/parts.ts';
import { fetchFromDisk } from '../../src/cli/shared/build-world.ts';
import '../../src/systems/rewards.ts';

const { values } = parseArgs({
  options: {
    steps: { type: 'string', default: '1000' },
    every: { type: 'string', default: '100' },
    questions: { type: 'string', default: '2' },
    group: { type: 'string', default: '4' },
  },
});

const memories: WebAssembly.Memory[] = [];
const { Memory } = WebAssembly;
WebAssembly.Memory = class extends Memory {
  constructor(descriptor: WebAssembly.MemoryDescriptor) {
    super(descriptor);
    memories.push(this);
  }
};
const bytes = (): number => memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);

prepareNode();
// Loaded after Node is prepared, so that kernels are compiled as in a browser.
const { loadPolicy } = await import('../../src/policy/open/load.ts');
const { MICRO_TOKENS } = await import('../../src/learn/replicas/create-replica.ts');
const { TrainReplica } = await import('../../src/learn/replicas/replica.ts');
const { PolicyLearner } = await import('../../src/learn/replicas/learner.ts');
const { trainRun } = await import('../../src/learn/rl/loop.ts');
const { createCurriculum } = await import('../../src/learn/curriculum/create.ts');

const folder = policyFolder(undefined);
const settings = {
  ...getTraining('search/grpo'),
  steps: Number(values.steps),
  questions: Number(values.questions),
  groupSize: Number(values.group),
  heldOut: { questions: 0, every: 1, temperature: 0.3 },
};
const config = parsePolicyConfig(
  parseJson(await fetchFromDisk(folder)('config.json'), 'config.json'),
);
const { world, retriever, router } = await openWorld(undefined);
const policy = await loadPolicy({
  files: fetchFromDisk(folder),
  id: (await openFolder(folder)).id,
  device: 'wasm',
});
const maxLength = policy.info.maxContext;
const trainer = policy.trainer(settings.adapter, {
  maxTokens: Math.max(MICRO_TOKENS, maxLength),
  maxLength,
});
const replica = new TrainReplica(trainer);
const train = world.questions.filter((question) => question.split === 'train');

console.log(
  '| step | live, MB | of the first row | WebAssembly memory, MB | JavaScript heap, MB |',
);
console.log('|--:|--:|--:|--:|--:|');
let base: number | null = null;
await trainRun({
  settings,
  deps: {
    agent: { policy, retriever, router, now: Date.now },
    config,
    learner: new PolicyLearner([replica]),
    curriculum: createCurriculum(settings, { questions: train, retriever }),
    heldOut: heldOutSample(train, 0),
    runId: 'memory',
    now: Date.now,
  },
  hooks: {
    onStep: ({ step }) => {
      if (step % Number(values.every) !== 0) return;
      const live = trainer.bytes;
      base ??= live;
      const change = `${(100 * (live / base - 1)).toFixed(2)} %`;
      const heap = process.memoryUsage().heapUsed / 1e6;
      const [held, memory] = [live, bytes()].map((n) => (n / 1e6).toFixed(2));
      console.log(`| ${step} | ${held} | ${change} | ${memory} | ${heap.toFixed(1)} |`);
    },
  },
});
