/**
 * Random small decoders on a device and on the oracle: scores, entropies, gradients of a random adapter and
 * greedy tokens, over odd sizes, groups, biases, norms, rotary scalings, weight types and ragged batches.
 *
 *   npx tsx test/fuzz/decoders/run.ts [--device wasm|webgpu] [--cases 2000] [--seed 1]
 *
 * Prints the largest differences and every case beyond the tolerance; ends with 1 where there is one.
 */
import { parseArgs } from 'node:util';
import { prepareNode } from '../../../src/policy/node/prepare.ts';
import type { Ops } from '../../../src/policy/ops/ops.ts';
import { oracleOps } from '../../../src/policy/ops/oracle/oracle.ts';
import { apart, numbersOn, randomDecoder } from './decoder.ts';

const { values } = parseArgs({
  options: {
    device: { type: 'string', default: 'wasm' },
    cases: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
  },
});
/** Of the root mean square; float32 sums over some layers. */
const TOLERANCE = 1e-3;

prepareNode();

async function device(): Promise<Ops> {
  if (values.device === 'webgpu') {
    const { openOps } = await import('../../policy/ops/support/swiftshader.ts');
    return openOps();
  }
  const { createWasmOps } = await import('../../../src/policy/wasm/ops.ts');
  return createWasmOps();
}

const from = Number(values.seed);
const cases = Number(values.cases);
const most = { logprobs: 0, entropies: 0, gradient: 0, generated: 0 };
let [faults, otherTokens] = [0, 0];
for (let seed = from; seed < from + cases; seed++) {
  const one = randomDecoder(seed);
  const { config } = one.weights;
  const told = `seed ${seed}: ${one.type}, d ${config.hiddenSize}, ${config.heads}/${config.kvHeads} heads of ${config.headDim}, ${config.layers} layers, vocabulary ${config.vocabSize}`;
  try {
    const [got, wanted] = [await numbersOn(await device(), one), await numbersOn(oracleOps(), one)];
    // Of two tokens that are equally likely, rounding chooses; what follows is then another text.
    const same = got.ids.every((id, i) => id === wanted.ids[i]);
    if (!same) otherTokens++;
    const differences = {
      logprobs: apart(got.logprobs, wanted.logprobs),
      entropies: apart(got.entropies, wanted.entropies),
      gradient: apart(got.gradient, wanted.gradient),
      generated: same ? apart(got.generated, wanted.generated) : 0,
    };
    for (const [name, value] of Object.entries(differences) as [keyof typeof most, number][]) {
      most[name] = Math.max(most[name], value);
      if (value <= TOLERANCE) continue;
      faults++;
      console.log(`${told}: ${name} differ by ${value.toExponential(1)}`);
    }
  } catch (error) {
    faults++;
    console.log(
      `${told}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
  }
  if ((seed - from + 1) % 100 === 0)
    console.log(`${seed - from + 1} cases, ${faults} faults, largest ${JSON.stringify(most)}`);
}
console.log(
  `${values.device}: ${cases} decoders from seed ${from}, ${faults} beyond ${TOLERANCE}, ${otherTokens} with other greedy tokens; largest differences of the root mean square: ` +
    Object.entries(most)
      .map(([name, value]) => `${name} ${value.toExponential(1)}`)
      .join(', '),
);
process.exit(faults > 0 ? 1 : 0);
