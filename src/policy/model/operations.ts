import type { PolicyConfig } from '../checkpoint/config.ts';
import { loraSize, type LoraSpec } from '../lora/spec.ts';
import { layerMatrices, rowsOf } from './shapes.ts';

/** Values of the matrices of all layers, which every token is multiplied with. */
export const matrixValues = (c: PolicyConfig): number =>
  c.layers *
  Object.values(layerMatrices(c)).reduce((sum, matrix) => sum + matrix.in * rowsOf(matrix), 0);

/**
 * Matrix products of a LoRA step over N tokens in contexts of at most `length`, all rows trained.
 * P values of the layers' matrices, F of the adapter, a = heads · headDim:
 * forward 2 N (P + F) + 4 a S L + 2 N d V; backward 2 N (P + 2 F) + 8 a S L + 2 N d V; and the forward
 * pass once more. S = N (length + 1) / 2 scores a head.
 */
export function stepFlops(c: PolicyConfig, spec: LoraSpec, tokens: number, length: number): number {
  const [P, F] = [matrixValues(c), loraSize(c, spec)];
  const attention = 2 * c.heads * c.headDim * c.layers * tokens * ((length + 1) / 2);
  const head = 2 * tokens * c.hiddenSize * c.vocabSize;
  const forward = 2 * tokens * (P + F) + 2 * attention;
  const backward = 2 * tokens * (P + 2 * F) + 4 * attention;
  return 2 * forward + backward + 3 * head;
}
