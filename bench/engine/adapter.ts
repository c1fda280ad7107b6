/**
 * The WebGPU adapter of Node (Dawn), what the engine asks it for, and how long a round trip to it takes.
 *
 *   npx tsx bench/engine/adapter.ts
 *
 * VK_DRIVER_FILES or VK_ICD_FILENAMES choose the driver. Ends with 3 where the adapter is the CPU.
 */
import { median } from '../../src/base/statistics.ts';
import { openDawn } from './dawn.ts';

const { ops, adapter, software } = await openDawn();
const report = (name: string, value: unknown): void =>
  console.log(`${name.padEnd(38)}${String(value)}`);
const { vendor, architecture, device, description } = adapter.info;
report('adapter', `${description} (${vendor}, ${architecture}, ${device})`);
const { limits, features } = ops.gpu.device;
for (const [name, has] of Object.entries(features)) report(`  ${name}`, has ? 'yes' : 'NO');
report('  all features', [...adapter.features].toSorted().join(' '));
const { subgroupMinSize, subgroupMaxSize } = adapter.info;
report('  lanes of a subgroup', `${subgroupMinSize} to ${subgroupMaxSize}`);
for (const [name, value] of Object.entries(limits)) report(`  ${name}`, value.toLocaleString('en'));

const row = ops.activations(1, 32, 'round trip');
const trips: number[] = [];
for (let i = 0; i < 200; i++) {
  const start = performance.now();
  // Of an array that nothing is computed in.
  await ops.readActivations(row, 1);
  trips.push(performance.now() - start);
}
report('round trip of a readback, median', `${((median(trips) ?? NaN) * 1000).toFixed(0)} µs`);
if (software) console.log('\n!!!! THIS ADAPTER IS THE CPU (a software driver), NOT A GPU !!!!');
process.exit(software ? 3 : 0);
