import { anyIds, type CaseBody } from './builder.ts';
import type { Draw, Drawn } from '../../../../src/policy/ops/ops.ts';

/** Log-probabilities, entropies, logits, and the gradient of some rows; one row is picked twice. */
export const scores: CaseBody = async (b, s) => {
  const { ops, random } = b;
  const count = random.between(1, 40);
  const tokens = b.tokens([{ ids: anyIds(count), position: 0, start: 0 }], 'many');
  // Logits of a few nats, so that entropies are neither 0 nor those of a uniform distribution.
  const head = b.matrix(
    { out: s.V, in: s.d, type: s.type },
    b.values(s.V * s.d, 2 / Math.sqrt(s.d)),
  );
  const input = { x: b.filled(tokens.rows, s.d), norm: b.norm(s.d, s.eps), head };
  const rows = Array.from({ length: count }, (_, row) => row).filter(() => random.chance(0.6));
  rows.push(random.below(count), rows[0] ?? 0);
  const targets = rows.map(() => random.below(s.V));
  const picks = ops.picks(rows.length + 2);
  const dx = ops.activations(tokens.rows, s.d, 'dx');
  const coefficients = b.values(rows.length);
  const results: Record<string, Float32Array> = {};
  for (const temperatures of [undefined, rows.map(() => random.pick([0.5, 1, 1.3]))]) {
    const name = temperatures ? 'at temperatures' : 'at 1';
    ops.placePicks(picks, { rows, targets, temperatures });
    ops.score({ ...input, picks });
    const { logprobs, entropies } = await ops.readScores(picks);
    ops.scoreBackward({ ...input, picks, tokens, coefficients, dx });
    results[`log-probabilities ${name}`] = logprobs;
    results[`entropies ${name}`] = entropies;
    results[`dx ${name}`] = await ops.readActivations(dx, tokens.count);
  }
  results['logits'] = await ops.readLogits({ ...input, picks });
  return results;
};

const SAMPLINGS = [
  { temperature: 1, topK: 0, topP: 1 },
  { temperature: 0, topK: 0, topP: 1 },
  { temperature: 0.7, topK: 0, topP: 1 },
  { temperature: 1, topK: 3, topP: 1 },
  { temperature: 1.4, topK: 0, topP: 0.8 },
  { temperature: 0.9, topK: 20, topP: 0.95 },
  { temperature: 1, topK: 1, topP: 0.01 },
];

const columns = (drawn: readonly Drawn[]): Record<string, Float32Array> => ({
  ids: Float32Array.from(drawn, ({ id }) => id),
  logprobs: Float32Array.from(drawn, ({ logprob }) => logprob),
  'log-probabilities of the model': Float32Array.from(drawn, ({ modelLogprob }) => modelLogprob),
  entropies: Float32Array.from(drawn, ({ entropy }) => entropy),
  'entropies of the model': Float32Array.from(drawn, ({ modelEntropy }) => modelEntropy),
  finite: Float32Array.from(drawn, ({ finite }) => Number(finite)),
});

/** Draws of every kind of sampling, with seeds beyond 2^31 and counters beyond 2^32. */
export const draws: CaseBody = async (b, s) => {
  const { ops, random } = b;
  const count = random.between(1, 64);
  const head = b.matrix(
    { out: s.V, in: s.d, type: s.type },
    b.values(s.V * s.d, 3 / Math.sqrt(s.d)),
  );
  const x = b.filled(count, s.d);
  const wanted = Array.from({ length: count }, (_, i): Draw => ({
    row: count - 1 - i,
    seed: random.below(2 ** 32),
    counter: i === 0 ? 2 ** 33 + 5 : random.below(5000),
    sampling: random.pick(SAMPLINGS),
  }));
  const handle = ops.draws(count + 1);
  ops.placeDraws(handle, wanted);
  ops.sample({ x, norm: b.norm(s.d, s.eps), head, draws: handle });
  return columns(await ops.readDraws(handle));
};
