import type { PolicyConfig } from '../../checkpoint/config.ts';
import { checkedSlots } from '../../lora/check.ts';
import { moduleName } from '../../lora/spec.ts';
import type { PiecedFile } from '../../open/merged-files.ts';
import type { LoraValues } from '../../policy.ts';
import { interleavedHeads } from '../names.ts';
import { architectureOf } from './architecture.ts';
import type { GgufValue } from './encode.ts';
import { ggufFile } from './file.ts';
import { interleave, tensorOf } from './tensors.ts';

/**
 * An adapter as a GGUF file that llama.cpp applies to a base model (`--lora`), with the names and metadata of its
 * `convert_lora_to_gguf.py`; values stay F32.
 *
 * @param id name of the adapter in the file
 * @throws RangeError for values of another shape, or gates of latent reasoning, which llama.cpp does not compute
 */
export function adapterGguf(
  config: PolicyConfig,
  id: string,
  fileName: string,
  { spec, flat }: LoraValues,
): PiecedFile {
  const slots = checkedSlots(config, spec, flat);
  if (spec.gates)
    throw new RangeError(
      'adapter: it has gates of latent reasoning, which llama.cpp does not compute; export it as PEFT instead',
    );
  const architecture = architectureOf(config);
  const factors = slots.map(({ layer, target, factor, shape, offset, length }) => {
    const name = `${moduleName(layer, target)}.weight`;
    const values = flat.subarray(offset, offset + length);
    return {
      name: `${tensorOf(architecture, { name, shape }, 'F16').name}.lora_${factor.toLowerCase()}`,
      shape,
      type: 'F32' as const,
      values:
        factor === 'B' && interleavedHeads(architecture, name)
          ? interleave(values, config.headDim, spec.rank)
          : values,
    };
  });
  return ggufFile(fileName, {
    metadata: new Map<string, GgufValue>([
      ['general.architecture', { type: 'string', value: architecture }],
      ['general.type', { type: 'string', value: 'adapter' }],
      ['general.name', { type: 'string', value: id }],
      ['general.file_type', { type: 'u32', value: 0 }],
      ['adapter.type', { type: 'string', value: 'lora' }],
      ['adapter.lora.alpha', { type: 'f32', value: spec.alpha }],
    ]),
    tensors: factors,
    values: async function* () {
      for (const { values } of factors) yield values;
    },
  });
}
