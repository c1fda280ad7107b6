import type { LoopHooks } from '../../agent/hooks.ts';
import type { LookAhead, Steps, StepOutcome } from '../../agent/steps.ts';
import type { Params } from './system.ts';

const FLASHRAG = { theta: 0.2, beta: 0.2, sentences: 5 } as const;

/** The constants in force. */
export const inForce = (params: Params): Params =>
  params.asReleased ? { ...params, ...FLASHRAG } : params;

/** Whether any token's probability is below θ. */
export const triggers = (probabilities: readonly number[], theta: number): boolean =>
  probabilities.some((probability) => probability < theta);

/** The tokens that are at least β, in order. */
export const confident = <T>(
  tokens: readonly T[],
  probabilities: readonly number[],
  beta: number,
): T[] => tokens.filter((_, i) => (probabilities[i] ?? 0) >= beta);

/** The sentence without what the policy is unsure of; a box is not a word of it. */
function queryOf(pieces: NonNullable<LookAhead['pieces']>, beta: number): string {
  const kept = confident(
    pieces.map(({ text }) => text),
    pieces.map(({ probability }) => probability),
    beta,
  );
  const text = kept.join('').replaceAll(/\\?boxed|[{}\\]/gu, ' ');
  return /[\p{L}\p{N}]/u.test(text) ? text.replaceAll(/\s+/gu, ' ').trim() : '';
}

/** The next sentence: as it was looked ahead, or again behind passages for what it is sure of. */
async function sentence(s: Steps, { theta, beta, lookAhead }: Params): Promise<StepOutcome> {
  const look = await s.lookAhead(lookAhead);
  if (look.pieces === null)
    throw new Error(
      'FLARE retrieves when a token is unlikely, and this model gives no probabilities; choose a checkpoint, or a server that gives logprobs',
    );
  const probabilities = look.pieces.map(({ probability }) => probability);
  if (!triggers(probabilities, theta) || !s.canSearch()) return look.adopt();
  const query = queryOf(look.pieces, beta);
  if (query === '') return look.adopt();
  look.drop(`a token of probability ${Math.min(...probabilities).toFixed(3)}, below ${theta}`);
  await s.search(query, false);
  return s.write('thought');
}

/** Looks one sentence ahead, retrieves where it is unsure, writes it again. */
export const hooks = (params: Params): LoopHooks => ({
  async program(s) {
    const own = inForce(params);
    await s.open();
    for (let i = 0; i < own.sentences; i++) {
      const wrote = await sentence(s, own);
      if (wrote.ended === 'action' && (await wrote.act())) return;
    }
    await s.answer();
  },
});
