import { CheckpointError } from '../checkpoint/checkpoint-error.ts';

/** Parts as llama.cpp's `gguf-split` names them. */
const PART = /^(.*)-(\d{5})-of-(\d{5})\.gguf$/i;
const MOST_PARTS = 1000;

/** Names of all parts of a model, in order, where `name` is one of them; else only `name`. @throws CheckpointError */
export function ggufParts(name: string): string[] {
  const [, stem, , total] = PART.exec(name) ?? [];
  if (stem === undefined || total === undefined) return [name];
  const count = Number(total);
  if (count < 1 || count > MOST_PARTS)
    throw new CheckpointError(name, `its name counts ${count} parts`, 'Rename it as it was');
  return Array.from(
    { length: count },
    (_, i) => `${stem}-${String(i + 1).padStart(5, '0')}-of-${total}.gguf`,
  );
}
