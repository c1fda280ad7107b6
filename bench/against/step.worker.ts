import { openCheckpoint } from '../../src/policy/checkpoint/checkpoint.ts';
import { openGguf } from '../../src/policy/gguf/open.ts';
import { LORA_TARGETS } from '../../src/policy/lora/spec.ts';
import { stepTrial, type StepTrial } from '../../src/policy/measure/trials.ts';
import { uploadDecoder } from '../../src/policy/model/upload.ts';
import { heldTypesFor } from '../../src/policy/open/device.ts';
import { createWasmOps } from '../../src/policy/wasm/ops.ts';
import { ggufBytes, type EngineFile } from './gguf-bytes.ts';

/** LoRA steps over a GGUF file: the first message opens it, each further one makes a step; an answer follows each. */

export type StepFile = Pick<EngineFile, 'files' | 'weights'> & { tokens: number };

const SPEC = { rank: 16, alpha: 32, targets: LORA_TARGETS };
const WARM_UP = 32;

let trial: StepTrial | undefined;

async function start({ files, weights, tokens }: StepFile): Promise<void> {
  const source = await openCheckpoint((await openGguf(ggufBytes(files))).files);
  const type = weights ?? heldTypesFor(source, 'wasm');
  const decoder = await uploadDecoder(await createWasmOps(), source, { type });
  // Kernels are compiled while they run.
  const first = await stepTrial(decoder, SPEC, WARM_UP);
  await first.run();
  first.free();
  trial = await stepTrial(decoder, SPEC, tokens);
}

// A rejection would stay in here; an error reaches the page.
addEventListener('message', ({ data }: MessageEvent<StepFile>) => {
  const work = trial ? trial.run() : start(data);
  void work.then(() => postMessage(null)).catch(reportError);
});
