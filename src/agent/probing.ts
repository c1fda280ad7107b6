import type { PolicySession } from '../policy/policy.ts';
import { answerByStie, forceAnswer } from './answering.ts';
import { wantsLongAnswer } from './answers/long-answer.ts';
import { answerOpening, readAnswerIn } from './transcript/blocks.ts';
import type { Observation } from './answers/evidence.ts';
import { deriveSeed } from '../base/random.ts';
import { checkCancelled, type RunState } from './state.ts';
import {
  finalCandidate,
  judgeAnswers,
  agreement,
  confidenceOf,
  countedForm,
  mergeCandidates,
  type Candidate,
  type Sample,
  stieStop,
} from './stie.ts';
import type { Tags } from './transcript/tags.ts';

/** STIE over answers in the loop: probe candidates from a fork, judge them, perhaps stop. */

/** The text before the first tag in it, where tags are text. */
function untilTag(text: string, { texts }: Tags): string {
  const found = [...texts.keys()].map((tag) => text.indexOf(tag)).filter((index) => index >= 0);
  return text.slice(0, Math.min(text.length, ...found));
}

/** One candidate: what the policy would answer now, sampled in a fork that is then thrown away. */
async function probeOne(
  state: RunState,
  session: PolicySession,
  mode: 'paper' | 'corrected',
): Promise<Sample> {
  const { deps, settings, tags, request } = state;
  const { tokenizer } = deps.policy;
  const { box } = answerOpening(tokenizer, tags);
  const generated = await session.generate({
    maxTokens: settings.stie.probeTokens,
    stopIds: tags.stops.stopIds,
    ...(tags.stops.stopTexts.length > 0 ? { stopTexts: tags.stops.stopTexts } : {}),
    sampling: settings.sampling,
    // Confidence is the model's own, whatever the temperature: at 0 every candidate would be certain.
    scores: 'model',
    signal: request.signal,
  });
  const inner = generated.ids.filter((id) => !tags.meaning(id));
  const written = untilTag(tokenizer.decode([...box, ...inner]), tags);
  const text = readAnswerIn(tags, written).answer ?? '';
  const known = generated.logprobs.length === generated.ids.length;
  const confidence = known ? confidenceOf(generated, settings.stie.confidence) : null;
  return { text, canonical: countedForm(text, mode), confidence };
}

const hasConfidence = (sample: Sample): sample is Candidate => sample.confidence !== null;

/** K candidates, one entry per counted form. */
async function probe(
  state: RunState,
  mode: 'paper' | 'corrected',
): Promise<{ candidates: Candidate[]; by: 'logprob' | 'agreement' }> {
  const { conversation, deps, request, settings, tags } = state;
  const { tag, box } = answerOpening(deps.policy.tokenizer, tags);
  conversation.openTurn();
  const forks: PolicySession[] = [];
  try {
    // Asks for no token: an engine may read the result now, once, and not again in every fork.
    await conversation.session.generate({
      maxTokens: 0,
      stopIds: [],
      sampling: settings.sampling,
    });
    for (let k = 0; k < settings.stie.candidates; k++) {
      const seed = deriveSeed(request.seed, 'probe', state.searches.length, k);
      const fork = await conversation.session.fork(seed);
      forks.push(fork);
      fork.append([...tag, ...box]);
    }
    const candidates = await Promise.all(forks.map((fork) => probeOne(state, fork, mode)));
    checkCancelled(state);
    // Where the policy gives no log-probabilities, how often its samples agree stands for them.
    const known = candidates.filter(hasConfidence);
    if (known.length === candidates.length) {
      return { candidates: mergeCandidates(known), by: 'logprob' };
    }
    return { candidates: mergeCandidates(agreement(candidates)), by: 'agreement' };
  } finally {
    for (const fork of forks) fork.close();
  }
}

/** What was probed, in the part of a fork that is recorded. */
function recordedProbe(state: RunState): Awaited<ReturnType<typeof probe>> | null {
  const event = state.past?.next('candidate');
  return event
    ? {
        candidates: event.candidates.map(({ text, canonical, confidence, samples }) => ({
          text,
          canonical,
          confidence,
          samples,
        })),
        by: event.confidenceBy ?? 'logprob',
      }
    : null;
}

/**
 * One STIE round over answers, after a result.
 * @returns whether STIE stopped the rollout and wrote the final answer
 */
export async function stieRound(state: RunState, seen: Observation): Promise<boolean> {
  const { stie } = state.settings;
  if (stie.mode === 'off' || !stie.overAnswers) return false;
  const { mode } = stie;
  const round = state.searches.length;
  const { candidates, by } = recordedProbe(state) ?? (await probe(state, mode));
  state.transcript.event({
    kind: 'candidate',
    round,
    ...(by === 'agreement' ? { confidenceBy: by } : {}),
    candidates: candidates.map((candidate) => ({
      ...candidate,
      count: state.memory.counts.get(candidate.canonical) ?? 0,
      blocked: state.memory.blocked.has(candidate.canonical),
    })),
  });
  const rules = { ...stie, mode };
  const judged = judgeAnswers(candidates, state.memory, rules, (text) =>
    state.evidence.supports(text),
  );
  const { blocked } = state.memory;
  state.memory = judged.memory;
  state.transcript.event({ kind: 'verdict', over: 'answer', round, ...judged.verdict });
  if (!judged.answer) return false;
  const gained = seen.newEntities + seen.newFacts;
  state.idleRounds = gained > stie.stop.minNewInformation ? 0 : state.idleRounds + 1;
  const seenNow = {
    entities: seen.newEntities,
    facts: seen.newFacts,
    idleRounds: state.idleRounds,
    valid: judged.verdict.valid,
  };
  const end = stieStop(state.memory, seenNow, { mode, tokens: stie.tokens, ...stie.stop });
  const final = end && finalCandidate(state.memory, stie.tokens, blocked);
  if (!end || !final) return false;
  // What STIE chose among is short: of a long answer the policy writes the prose.
  if (wantsLongAnswer(state.request.question)) await forceAnswer(state, end, true);
  else answerByStie(state, final.text, end);
  return true;
}
