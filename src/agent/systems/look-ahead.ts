import { confident, inForce, triggers, type Confidence } from '../../recipes/methods/confidence.ts';
import type { LookAhead, Steps, StepOutcome } from './parts/steps.ts';

const DEFAULTS: Confidence = {
  theta: 0.8,
  beta: 0.4,
  lookAhead: 64,
  sentences: 16,
  asReleased: false,
};

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
async function sentence(s: Steps, { theta, beta, lookAhead }: Confidence): Promise<StepOutcome> {
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

/** FLARE (arXiv 2305.06983): look one sentence ahead, retrieve where it is unsure, write it again. */
export async function lookAhead(s: Steps): Promise<void> {
  const confidence = inForce(s.method.confidence ?? DEFAULTS);
  await s.open();
  for (let i = 0; i < confidence.sentences; i++) {
    const wrote = await sentence(s, confidence);
    if (wrote.ended === 'action' && (await wrote.act())) return;
  }
  await s.answer();
}
