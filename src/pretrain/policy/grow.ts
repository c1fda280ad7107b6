import { Random } from '../../base/random.ts';
import type { PolicyConfig } from '../../policy/checkpoint/config.ts';
import {
  initWeights,
  parameterCount,
  viewWeights,
  type PolicyWeights,
} from '../../policy/checkpoint/weights.ts';

/**
 * A policy with more layers or another vocabulary that computes what a smaller one computes, to continue
 * training from. A layer is added as the identity: its two output projections are zero, so that what
 * it reads changes nothing until they learn (function-preserving, as Net2Net, arXiv 1511.05641). A token that
 * both vocabularies have keeps its row; a new one gets the mean of the rows of its pieces; a new tag that of
 * the tag whose place it takes, with a little noise, so that no two are the same.
 */

export interface Vocabulary {
  size: number;
  /** As the file spells it, not as text; undefined for an id that stands for nothing. */
  spelling(id: number): string | undefined;
  /** The id of a spelling. */
  id(spelling: string): number | undefined;
  isSpecial(id: number): boolean;
  text(id: number): string;
  encode(text: string): readonly number[];
}

/** Of a value of a new tag's row. */
const NOISE = 0.02;

/** The tag whose row a new one begins with. */
function modelOf(tag: string): string {
  const closes = tag.startsWith('</') ? '/' : '';
  const name = tag.replace(/[</>]/g, '');
  const like = name === 'form' ? 'question' : name === 'reply' ? 'result' : 'think';
  return `<${closes}${like}>`;
}

/** Rows of the old embedding that make a new token's. */
function piecesOf(id: number, from: Vocabulary, to: Vocabulary): readonly number[] {
  const spelling = to.spelling(id);
  if (spelling === undefined) return [];
  const same = from.id(spelling);
  if (same !== undefined) return [same];
  if (to.isSpecial(id)) {
    const like = from.id(modelOf(spelling));
    return like === undefined ? [] : [like];
  }
  return from.encode(to.text(id));
}

/** For each layer of the new shape the old one it continues; undefined for an added one. */
export function layerPlan(old: number, now: number): (number | undefined)[] {
  const added = now - old;
  const plan: (number | undefined)[] = [];
  for (let layer = 0; layer < old; layer++) {
    plan.push(layer);
    // Spread evenly, the last after the last layer.
    const due = Math.floor(((layer + 1) * added) / old) - Math.floor((layer * added) / old);
    for (let i = 0; i < due; i++) plan.push(undefined);
  }
  return plan;
}

const SHAPE = ['hiddenSize', 'heads', 'kvHeads', 'headDim', 'intermediateSize'] as const;

/**
 * @param seed of the rows and layers that are new
 * @throws Error where another size than the number of layers or tokens differs
 */
export function grow(
  old: PolicyWeights,
  from: Vocabulary,
  config: PolicyConfig,
  to: Vocabulary,
  seed: number,
): PolicyWeights {
  for (const size of SHAPE)
    if (old.config[size] !== config[size])
      throw new Error(`growing keeps ${size}: ${old.config[size]}, not ${config[size]}`);
  if (config.layers < old.config.layers)
    throw new Error(`growing keeps all layers: ${old.config.layers}, not ${config.layers}`);
  const weights = viewWeights(config, new Float32Array(parameterCount(config)));
  initWeights(config, seed, weights.flat);
  const random = new Random(seed);
  const width = config.hiddenSize;
  for (let id = 0; id < to.size; id++) {
    const pieces = piecesOf(id, from, to);
    if (pieces.length === 0) continue;
    const row = weights.embed.subarray(id * width, (id + 1) * width);
    const isNew = from.id(to.spelling(id) ?? '') === undefined && to.isSpecial(id);
    for (let i = 0; i < width; i++) {
      let sum = 0;
      for (const piece of pieces) sum += old.embed[piece * width + i] ?? 0;
      row[i] = sum / pieces.length + (isNew ? NOISE * random.normal() : 0);
    }
  }
  for (const [at, source] of layerPlan(old.config.layers, config.layers).entries()) {
    const layer = weights.layers[at];
    const model = source === undefined ? undefined : old.layers[source];
    if (!layer) continue;
    if (!model) {
      layer.o.fill(0);
      layer.down.fill(0);
      continue;
    }
    for (const part of [
      'inputNorm',
      'qkv',
      'qNorm',
      'kNorm',
      'o',
      'mlpNorm',
      'gateUp',
      'down',
    ] as const) {
      const values = model[part];
      if (values) layer[part]?.set(values);
    }
  }
  weights.finalNorm.set(old.finalNorm);
  return weights;
}
