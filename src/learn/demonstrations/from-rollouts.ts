import { exactMatch } from '../../agent/answers/scores.ts';
import type { Turn } from '../../agent/transcript/write-turn.ts';
import { deriveSeed } from '../../base/random.ts';
import { protocolOf, roundsOf, type Round } from '../../formats/rollouts/rounds.ts';
import { blockText } from '../../formats/rollouts/protocols/split.ts';
import { goldsToScore, type ImportedRollout } from '../../formats/rollouts/shape/imported.ts';
import { mergeOverrides, withOverrides } from '../../recipes/parts/settings.ts';
import type { Hit } from '../../records/hits.ts';
import type { Question } from '../../records/records.ts';
import { GaveUp, type Reason } from './left-out.ts';
import { isSaid, SeenText } from './mentions.ts';
import { ForeignHits, replayedSources } from './replayed.ts';
import { writeRollout, type DemonstrationOptions, type Outcome } from './write-rollout.ts';
import type { DemonstrationModel } from './written-policy.ts';

/** Rollouts of other systems, rewritten into the protocol of a recipe. */

const WRITTEN = 'none: these tokens were rewritten from a rollout of another system';

interface Rewritten {
  turns: readonly Turn[];
  /** What each search brought. */
  results: readonly (readonly Hit[])[];
}

/** Marks of thoughts that formats have in their text. */
const THOUGHT_MARKS = /<\/?think(?:ing)?>|^\s*Thought(?: \d+)?:/giu;

/** What a round's writer thought before its act, as one line. */
function thoughtOf(rollout: ImportedRollout, { segments }: Round): string {
  const protocol = protocolOf(rollout);
  const texts = segments.flatMap((at) => {
    const segment = rollout.segments[at];
    if (segment?.source !== 'policy' || ['search', 'answer'].includes(segment.role)) return [];
    const text = segment.role === 'think' ? blockText(segment.text, protocol).text : segment.text;
    return [text.replaceAll(THOUGHT_MARKS, ' ')];
  });
  return texts.join(' ').replaceAll(/\s+/gu, ' ').trim();
}

/** Segments of a round with a role of the policy's. */
const written = ({ segments }: ImportedRollout, round: Round, role: string): string[] =>
  round.segments.flatMap((at) => {
    const segment = segments[at];
    return segment?.source === 'policy' && segment.role === role ? [segment.text] : [];
  });

/** @throws GaveUp where the rollout cannot be written in turns of a thought and one act */
function rewrite(rollout: ImportedRollout): Rewritten {
  const { answer } = rollout;
  if (answer === null) throw new GaveUp('no-answer');
  const foreign = new ForeignHits(rollout.id);
  const turns: Turn[] = [];
  const results: Hit[][] = [];
  for (const round of roundsOf(rollout)) {
    const answers = written(rollout, round, 'answer').length > 0;
    const queries = written(rollout, round, 'search');
    if (queries.some((text) => /\blookup\[/iu.test(text))) throw new GaveUp('other-action');
    if (queries.length > 1 || (answers && queries.length > 0)) throw new GaveUp('several-queries');
    const thought = thoughtOf(rollout, round);
    if (round.query) {
      if (thought === '') throw new GaveUp('no-thought');
      turns.push({ thought, act: { search: round.query.text.replaceAll(/\s+/gu, ' ').trim() } });
      results.push(foreign.of(round.passages.map((one) => titled(one, round))));
    } else {
      if (round.passages.length > 0) throw new GaveUp('made-up-result');
      if (results.length === 0) throw new GaveUp('no-search');
      if (thought === '') throw new GaveUp('no-thought');
      turns.push({ thought, act: { answer: answer.trim() } });
      return { turns, results };
    }
  }
  throw new GaveUp('no-answer');
}

/** A page without a title, as ReAct opens it, has the name that it was asked by. */
const titled = (
  { title, text }: Round['passages'][number],
  { query }: Round,
): { title: string; text: string } => ({ title: title || (query?.text.trim() ?? ''), text });

function attempt(rollout: ImportedRollout): Rewritten | Reason {
  const golds = goldsToScore(rollout);
  if (rollout.question.answers.length === 0) return 'no-gold';
  if (golds.length === 0) return 'no-answer';
  if (rollout.answer !== null && exactMatch(rollout.answer, golds) !== 1) return 'wrong';
  try {
    return rewrite(rollout);
  } catch (error) {
    if (error instanceof GaveUp) return error.reason;
    throw error;
  }
}

/**
 * Writes a rollout again in a recipe's protocol and a model's tokens: its thoughts, its queries, the passages that it was
 * shown (the recipe's k of them at most, each cut as the recipe cuts), its answer. Kept only where the answer is right by
 * the file's own accepted answers, and shown.
 */
export async function demonstrateRollout(
  model: DemonstrationModel,
  rollout: ImportedRollout,
  options: DemonstrationOptions,
): Promise<Outcome> {
  const rewritten = attempt(rollout);
  if (typeof rewritten === 'string') return { leftOut: rewritten };
  const { turns, results } = rewritten;
  const overrides = mergeOverrides(options.overrides, { retrieval: { source: 'local' } });
  const { maxSearches } = withOverrides(options.recipe.settings, overrides).retrieval;
  if (results.length > maxSearches) return { leftOut: 'too-many-searches' };
  const { id, text, answers, supporting, hops } = rollout.question;
  const question: Question = { id, text, answers, supporting, ...(hops !== undefined && { hops }) };
  const seen = new SeenText(text);
  let next = 0;
  return writeRollout(
    replayedSources(results),
    model,
    {
      question,
      id: `rewritten-${rollout.id}`,
      group: `rewritten-${rollout.groupId}`,
      seed: deriveSeed(options.seed, 'rewritten', rollout.id),
      by: WRITTEN,
      author: (shown) => {
        seen.add(shown);
        const turn = turns[next++];
        if (!turn) throw new GaveUp('no-answer');
        if ('answer' in turn.act && !isSaid([turn.act.answer, ...answers], seen))
          throw new GaveUp('answer-not-shown');
        return turn;
      },
    },
    { ...options, overrides },
  );
}
