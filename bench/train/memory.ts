/**
 * Bytes of WebAssembly memory over a long run of small steps, sampling, update and new weights
 * included: `npx tsx bench/train/memory.ts [--steps 1000] [--every 100] [--questions 2] [--group 4]`.
 *
 * What is counted is every WebAssembly memory of this process: those of jax-js (sampler) and of the
 * kernels (trainer). They only ever grow, so a leak of arrays shows as growth that does not end.
 */
import { parseArgs } from 'node:util';
import { heldOutSample } from '../../src/learn/rl/held-out.ts';
import { getPreset } from '../../src/learn/rl/presets.ts';
import { prepareNode } from '../../src/policy/jax-node.ts';
import { checkpointName, openWorld, policyFolder, readFolderWeights } from '../../src/cli/parts.ts';
import { fetchFromDisk } from '../../src/cli/build-world.ts';

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
// Loaded after Node is prepared: jax-js looks at what the platform has when it is imported.
const { loadPolicy } = await import('../../src/policy/load.ts');
const { createReplica } = await import('../../src/learn/rl/create-replica.ts');
const { PolicyLearner } = await import('../../src/learn/rl/learner.ts');
const { trainRun } = await import('../../src/learn/rl/loop.ts');
const { createCurriculum } = await import('../../src/learn/curriculum/create.ts');

const folder = policyFolder(undefined);
const settings = {
  ...getPreset('grpo-em'),
  steps: Number(values.steps),
  questions: Number(values.questions),
  groupSize: Number(values.group),
  heldOut: { questions: 0, every: 1, temperature: 0.3 },
};
const weights = await readFolderWeights(folder);
const { world, retriever, router } = await openWorld(undefined);
const policy = await loadPolicy({
  files: fetchFromDisk(folder),
  id: checkpointName(folder),
  device: 'wasm',
});
const replica = await createReplica({ weights, adapter: settings.adapter, device: 'wasm' });
const train = world.questions.filter((question) => question.split === 'train');

console.log('| step | WebAssembly memory, MB | JavaScript heap, MB | of step 100 |');
console.log('|--:|--:|--:|--:|');
let base: number | null = null;
await trainRun({
  settings,
  deps: {
    agent: { policy, retriever, router, now: Date.now },
    weights,
    learner: new PolicyLearner([replica]),
    curriculum: createCurriculum(settings, { questions: train, retriever }),
    heldOut: heldOutSample(train, 0),
    runId: 'memory',
    now: Date.now,
  },
  hooks: {
    onStep: ({ step }) => {
      if (step % Number(values.every) !== 0) return;
      const now = bytes();
      base ??= now;
      const change = `${(100 * (now / base - 1)).toFixed(2)} %`;
      const heap = process.memoryUsage().heapUsed / 1e6;
      console.log(`| ${step} | ${(now / 1e6).toFixed(1)} | ${heap.toFixed(1)} | ${change} |`);
    },
  },
});
