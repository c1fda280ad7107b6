/**
 * Live bytes over a long run of small steps, sampling, update and new weights included:
 * `npx tsx bench/train/memory.ts [--steps 1000] [--every 100] [--questions 2] [--group 4]`.
 *
 * - Live: the arrays that jax-js (sampler) holds between two steps, and the kernels' memory (trainer),
 *   which is planned once. jax-js does not tell, so its table of buffers is watched from outside.
 * - Memory: every WebAssembly memory of this process. These only ever grow, to the longest step so far.
 */
import { parseArgs } from 'node:util';
import { heldOutSample } from '../../src/learn/rl/held-out.ts';
import { getTraining } from '../../src/recipes/index.ts';
import { prepareNode } from '../../src/policy/jax/jax-node.ts';
import {
  openFolder,
  openWorld,
  policyFolder,
  readFolderWeights,
} from '../../src/cli/shared/parts.ts';
import { fetchFromDisk } from '../../src/cli/shared/build-world.ts';

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
/** An entry of jax-js's table of buffers, by its shape. */
const sizeOf = (value: unknown): number =>
  typeof value === 'object' && value !== null && 'ptr' in value && 'ref' in value && 'size' in value
    ? Number(value.size)
    : 0;
let arrays = 0;
// oxlint-disable-next-line typescript/unbound-method -- called with their map below
const { set: plainSet, delete: plainDelete } = Map.prototype;
// oxlint-disable-next-line eslint/no-extend-native -- the only way to see the table
Map.prototype.set = function (this: Map<unknown, unknown>, key, value) {
  arrays += sizeOf(value);
  return plainSet.call(this, key, value) as typeof this;
};
// oxlint-disable-next-line eslint/no-extend-native -- as above
Map.prototype.delete = function (this: Map<unknown, unknown>, key) {
  arrays -= sizeOf(this.get(key));
  return plainDelete.call(this, key);
};

const bytes = (): number => memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);

prepareNode();
// Loaded after Node is prepared: jax-js looks at what the platform has when it is imported.
const { loadPolicy } = await import('../../src/policy/open/load.ts');
const { createReplica } = await import('../../src/learn/replicas/create-replica.ts');
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
const weights = await readFolderWeights(folder);
const { world, retriever, router } = await openWorld(undefined);
const policy = await loadPolicy({
  files: fetchFromDisk(folder),
  id: (await openFolder(folder)).id,
  device: 'wasm',
});
const before = bytes();
const replica = await createReplica({ weights, adapter: settings.adapter, device: 'wasm' });
/** The trainer's memory, all of it. */
const kernels = bytes() - before;
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
      const live = arrays + kernels;
      base ??= live;
      const change = `${(100 * (live / base - 1)).toFixed(2)} %`;
      const heap = process.memoryUsage().heapUsed / 1e6;
      const [held, memory] = [live, bytes()].map((n) => (n / 1e6).toFixed(2));
      console.log(`| ${step} | ${held} | ${change} | ${memory} | ${heap.toFixed(1)} |`);
    },
  },
});
