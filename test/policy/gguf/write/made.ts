import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '../../../../src/base/random.ts';
import type { PolicyConfig } from '../../../../src/policy/checkpoint/config.ts';
import { writePeft } from '../../../../src/policy/lora/peft.ts';
import { LORA_TARGETS, loraSize } from '../../../../src/policy/lora/spec.ts';
import type { PiecedFile } from '../../../../src/policy/open/merged-files.ts';
import type { LoraValues } from '../../../../src/policy/policy.ts';
import { openCheckpointFolder } from '../../../../src/cli/shared/checkpoint-folder.ts';
import { writeRandomCheckpoint } from '../../checkpoint/random-checkpoint.ts';

/** An adapter of rank 4 on all matrices, none of whose factors is zero; the same each time. */
export function randomAdapter(config: PolicyConfig): LoraValues {
  const spec = { rank: 4, alpha: 6, targets: LORA_TARGETS };
  const flat = new Float32Array(loraSize(config, spec));
  new Random(11).fillNormal(flat, 0.1);
  return { spec, flat };
}

/** Writes a random checkpoint with `randomAdapter` beside it: `DIR/FAMILY` and `DIR/FAMILY-adapter`. */
export async function writeBoth(folder: string, family: 'qwen' | 'llama3') {
  const path = join(folder, family);
  writeRandomCheckpoint(path, family);
  const checkpoint = await openCheckpointFolder(path);
  const adapter = randomAdapter(checkpoint.config);
  mkdirSync(`${path}-adapter`, { recursive: true });
  for (const { name, bytes } of writePeft(checkpoint.config, adapter.spec, adapter.flat, family))
    writeFileSync(join(`${path}-adapter`, name), bytes);
  return { ...checkpoint, adapter };
}

/** All bytes of a file that is written in pieces. */
export async function bytesOf(file: PiecedFile): Promise<Uint8Array<ArrayBuffer>> {
  const out = new Uint8Array(file.bytes);
  let at = 0;
  for await (const piece of file.pieces()) {
    out.set(piece, at);
    at += piece.length;
  }
  if (at !== file.bytes) throw new Error(`${file.name} gave ${at} bytes, not ${file.bytes}`);
  return out;
}
