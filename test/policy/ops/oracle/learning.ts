import { itemAt } from '../../../../src/base/items.ts';
import type { Ops } from '../../../../src/policy/ops/ops.ts';
import { own } from '../../../../src/policy/ops/own.ts';
import type { TrainableOps } from '../../../../src/policy/ops/trainable.ts';
import type { Matrix, Vector } from '../../../../src/policy/ops/values.ts';
import {
  OracleActivations,
  OracleMatrix,
  OraclePicks,
  OracleTokens,
  OracleVector,
} from './handles.ts';
import { logitsOf } from './head.ts';
import { oracleOps } from './oracle.ts';
import { Table } from './table.ts';

const ownOf = (handle: Matrix | Vector): OracleMatrix | OracleVector =>
  handle.kind === 'matrix' ? own(OracleMatrix, handle) : own(OracleVector, handle);

/** The gradient of one that learns, row-major. */
function gradientOf(one: Matrix | Vector): Float64Array {
  const { gradient } = ownOf(one);
  if (!gradient) throw new Error(`${one.kind}: it does not learn`);
  return gradient instanceof Table ? gradient.values : gradient;
}

/** The oracle with gradients of what it computes with. */
export function trainableOracleOps(): TrainableOps {
  const ops = oracleOps();
  const plain = ops.score.bind(ops);
  const hits = new WeakMap<object, Uint8Array>();
  const score: Ops['score'] = (o) => {
    plain(o);
    const { picked } = own(OraclePicks, o.picks);
    const logits = logitsOf(
      o,
      picked.map(({ row }) => row),
    );
    const isHit = ({ target }: { target: number }, r: number): boolean =>
      logits.row(r).every((logit) => logit <= logits.at(r, target));
    hits.set(
      o.picks,
      Uint8Array.from(picked, (pick, r) => Number(isHit(pick, r))),
    );
  };
  const learning: Omit<TrainableOps, Exclude<keyof Ops, 'score'>> = {
    score,
    learn(...handles) {
      for (const one of handles) {
        if (one.kind === 'matrix' && one.type !== 'f32')
          throw new Error(`matrix: one that is held in ${one.type} cannot learn; hold it in f32`);
        const handle = ownOf(one);
        if (handle instanceof OracleMatrix) handle.gradient ??= new Table(handle.out, handle.in);
        else handle.gradient ??= new Float64Array(handle.length);
      }
      return {
        zero: () => handles.forEach((one) => gradientOf(one).fill(0)),
        read: async (into) =>
          handles.forEach((one, i) => itemAt(into, i, 'gradients').set(gradientOf(one))),
      };
    },
    rewrite(one, values) {
      const handle = ownOf(one);
      if (values.length !== handle.values.length)
        throw new RangeError(
          `${one.kind}: ${values.length} values, it has ${handle.values.length}`,
        );
      handle.values.set(values);
    },
    embedBackward({ table, tokens, dx }) {
      const gradient = gradientOf(table);
      own(OracleTokens, tokens).placed.forEach(({ id }, r) => {
        const from = own(OracleActivations, dx).row(r);
        from.forEach((value, i) => {
          const at = id * table.in + i;
          gradient[at] = itemAt(gradient, at) + value;
        });
      });
    },
    scoreAndLearn(o) {
      score(o);
      ops.scoreBackward(o);
    },
    readHits: async (picks) => ({
      logprobs: Float32Array.from(own(OraclePicks, picks).logprobs),
      hits: hits.get(picks) ?? new Uint8Array(picks.count),
    }),
  };
  return Object.assign(ops, learning);
}
