/**
 * Random small decoders on a device and on the oracle: scores, entropies, gradients of a random adapter and
 * greedy tokens, over odd sizes, groups, biases, norms, rotary scalings, types of weights and contexts, and ragged batches.
 *
 *   npx tsx test/fuzz/decoders/run.ts [--device wasm|webgpu] [--seed 1] [--from 0] [--cases 2000]
 *     [--alike 1] [--log FILE]
 *
 * A case follows from seed and number, so that pieces can be run apart: `--from 500 --cases 100`. `--alike 20`: this many
 * neighbours have the same sizes, whose kernels are compiled once. A log has a line a case; what it has is not run
 * again, and counts among the results. Prints the largest differences and every case beyond the tolerance, or with an error of the device; ends
 * with 1 where there is one.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { prepareNode } from '../../../src/policy/node/prepare.ts';
import type { Ops } from '../../../src/policy/ops/ops.ts';
import { oracleOps } from '../../policy/ops/oracle/oracle.ts';
import { apart, nudged, numbersOn, randomDecoder } from './decoder.ts';

const { values } = parseArgs({
  options: {
    device: { type: 'string', default: 'wasm' },
    cases: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
    alike: { type: 'string', default: '1' },
    log: { type: 'string' },
  },
});
/** Of the root mean square; float32 sums over some layers. More where rounding of the parameters moves as much. */
const TOLERANCE = 1e-3;

const NAMES = ['logprobs', 'entropies', 'gradient', 'generated'] as const;
type Differences = Record<(typeof NAMES)[number], number>;

/** A line of the log. */
interface Case {
  readonly seed: number;
  readonly differences?: Differences;
  readonly otherTokens?: boolean;
  readonly error?: string;
}

prepareNode();

async function device(): Promise<Ops> {
  if (values.device === 'webgpu') {
    const { openOps } = await import('../../policy/ops/support/swiftshader.ts');
    // Kernels as a GPU runs them, also where the CPU is in for it.
    return openOps({ software: false });
  }
  const { createWasmOps } = await import('../../../src/policy/wasm/ops.ts');
  return createWasmOps();
}

const first = Number(values.seed);
const from = first + Number(values.from);
const cases = Number(values.cases);
const alike = Number(values.alike);
const { log } = values;
const done = new Map<number, Case>();
if (log !== undefined && existsSync(log))
  for (const line of readFileSync(log, 'utf8').split('\n').filter(Boolean)) {
    const one = JSON.parse(line) as Case;
    done.set(one.seed, one);
  }

let ops: Ops | null = null;
async function compared(seed: number): Promise<Case> {
  const one = randomDecoder(seed, first + Math.floor((seed - first) / alike));
  const { config } = one.weights;
  const told = `${one.type}, contexts in ${one.keys}, d ${config.hiddenSize}, ${config.heads}/${config.kvHeads} heads of ${config.headDim}, ${config.layers} layers, vocabulary ${config.vocabSize}`;
  try {
    ops ??= await device();
    const [got, wanted] = [await numbersOn(ops, one), await numbersOn(oracleOps(), one)];
    // Of two tokens that are equally likely, rounding chooses; what follows is then another text.
    const same = got.ids.every((id, i) => id === wanted.ids[i]);
    const differences = {
      logprobs: apart(got.logprobs, wanted.logprobs),
      entropies: apart(got.entropies, wanted.entropies),
      gradient: apart(got.gradient, wanted.gradient),
      generated: same ? apart(got.generated, wanted.generated) : 0,
    };
    let wrong = NAMES.filter((name) => !(differences[name] <= TOLERANCE));
    if (wrong.length > 0) {
      // A decoder that makes much of little: of three columns, say, that nearly cancel in a norm.
      const rounded = await numbersOn(oracleOps(), nudged(one));
      wrong = wrong.filter(
        (name) => !(differences[name] <= 10 * apart(rounded[name], wanted[name])),
      );
    }
    if (wrong.length > 0 && one.keys === 'f16') {
      // Float32 sums may round a key to the next half: at worst as if all of them were.
      const whole = await numbersOn(oracleOps(), { ...one, keys: 'f32' });
      wrong = wrong.filter((name) => !(differences[name] <= apart(whole[name], wanted[name])));
      // A key between two halves goes to one in about half of the draws, and moves the rest as far in all of them.
      for (let draw = 0; draw < 16 && wrong.length > 0; draw++) {
        const rounded = await numbersOn(oracleOps(), nudged(one, draw));
        wrong = wrong.filter((name) => !(differences[name] <= apart(rounded[name], wanted[name])));
      }
    }
    if (wrong.length === 0) return { seed, differences, otherTokens: !same };
    const error = `${told}: ${wrong.map((name) => `${name} differ by ${differences[name].toExponential(1)}`).join(', ')}`;
    return { seed, differences, otherTokens: !same, error };
  } catch (error) {
    // A device that failed once is of no use any more.
    ops?.dispose();
    ops = null;
    return {
      seed,
      error: `${told}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    };
  }
}

const most: Differences = { logprobs: 0, entropies: 0, gradient: 0, generated: 0 };
let [faults, otherTokens] = [0, 0];
for (let seed = from; seed < from + cases; seed++) {
  let one = done.get(seed);
  if (!one) {
    one = await compared(seed);
    if (log !== undefined) appendFileSync(log, `${JSON.stringify(one)}\n`);
  }
  for (const name of NAMES) most[name] = Math.max(most[name], one.differences?.[name] ?? 0);
  if (one.otherTokens) otherTokens++;
  if (one.error !== undefined) {
    faults++;
    console.log(`seed ${seed}: ${one.error}`);
  }
  if ((seed - from + 1) % 100 === 0)
    console.log(`${seed - from + 1} cases, ${faults} faults, largest ${JSON.stringify(most)}`);
}
console.log(
  `${values.device}: ${cases} decoders, ${alike} of the same sizes, from seed ${from}, ${faults} beyond ${TOLERANCE} or failed, ${otherTokens} with other greedy tokens; largest differences of the root mean square: ` +
    NAMES.map((name) => `${name} ${most[name].toExponential(1)}`).join(', '),
);
process.exit(faults > 0 ? 1 : 0);
