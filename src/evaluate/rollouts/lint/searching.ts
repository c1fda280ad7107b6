import { contentWords } from '../../../agent/answers/evidence.ts';
import { normalizeAnswer, words } from '../../../agent/answers/normalisers.ts';
import { blockText } from '../../../formats/rollouts/protocols/split.ts';
import { protocolOf, roundsOf, type Round } from '../../../formats/rollouts/rounds.ts';
import type { ImportedRollout } from '../../../formats/rollouts/shape/imported.ts';
import { finding, type Finding } from './finding.ts';

/** How the policy searched. Every rule is lexical: it points at cases to read, it proves nothing. */

const key = ({ title, text }: Round['passages'][number]): string =>
  normalizeAnswer(`${title} ${text}`);

/**
 * Over-search: a query whose passages had all been shown before, or one that was asked when every
 * supporting title had already been retrieved (where the question names its supporting titles).
 */
export function overSearch(rollout: ImportedRollout): Finding[] {
  const { supporting } = rollout.question;
  const seen = new Set<string>();
  const missing = new Set(supporting);
  return roundsOf(rollout).flatMap(({ query, passages }) => {
    const complete = supporting.length > 0 && missing.size === 0;
    // A background is read before the first query of its round.
    const isShown = (segment: number): boolean => rollout.segments[segment]?.role === 'background';
    for (const passage of passages.filter(({ segment }) => isShown(segment))) {
      seen.add(key(passage));
      missing.delete(passage.title);
    }
    const found = passages.filter(({ segment }) => !isShown(segment));
    const old = found.length > 0 && found.every((passage) => seen.has(key(passage)));
    for (const passage of found) {
      seen.add(key(passage));
      missing.delete(passage.title);
    }
    if (!query || !(old || (complete && found.length > 0))) return [];
    const message = old
      ? `All ${found.length} passages for "${query.text}" had been read before.`
      : `"${query.text}" was asked when every supporting passage had been read.`;
    return [finding(rollout, 'over-search', message, [query])];
  });
}

/** A query that is the question itself, or an earlier query again, after normalisation. */
export function copiedQuery(rollout: ImportedRollout): Finding[] {
  const question = normalizeAnswer(rollout.question.text);
  const asked = new Set<string>();
  return roundsOf(rollout).flatMap(({ query }) => {
    const text = query && normalizeAnswer(query.text);
    if (!query || !text) return [];
    const repeated = asked.has(text);
    asked.add(text);
    if (text !== question && !repeated) return [];
    const message =
      text === question
        ? 'The query is the question, word for word.'
        : `"${query.text}" had been asked before.`;
    return [finding(rollout, 'copied-query', message, [query])];
  });
}

/** Words that carry content: no short ones but numbers. */
const marks = (text: string): string[] =>
  contentWords(text).filter((word) => word.length > 3 || /\d/.test(word));

/** Runs of three words. */
const triples = (list: readonly string[]): string[] =>
  list.slice(2).map((word, i) => `${list[i]} ${list[i + 1]} ${word}`);

/** Segment in which the policy first wrote something; what the question holds counts as known before. */
interface FirstWritten {
  words: ReadonlyMap<string, number>;
  /** Runs of three words. */
  triples: ReadonlyMap<string, number>;
}

function firstWritten({ segments, question }: ImportedRollout): FirstWritten {
  const first = { words: new Map<string, number>(), triples: new Map<string, number>() };
  const add = (text: string, segment: number): void => {
    const list = words(text);
    for (const word of list) if (!first.words.has(word)) first.words.set(word, segment);
    for (const run of triples(list)) if (!first.triples.has(run)) first.triples.set(run, segment);
  };
  add(question.text, -1);
  segments.forEach(({ source, text }, i) => source === 'policy' && add(text, i));
  return first;
}

/**
 * Evidence ignored: nothing that the policy wrote after a result takes anything from it. "Anything" is a
 * content word or number that neither the question nor the policy's own text had before, or three words
 * in a row that the result has and the question and the policy's earlier text have not.
 */
export function evidenceIgnored(rollout: ImportedRollout): Finding[] {
  const { segments } = rollout;
  const protocol = protocolOf(rollout);
  const first = firstWritten(rollout);
  const lastOwn = segments.findLastIndex(({ source }) => source === 'policy');
  return segments.flatMap((segment, i) => {
    if (segment.role !== 'result' || segment.source !== 'environment' || lastOwn < i) return [];
    const text = blockText(segment.text, protocol).text;
    const fresh = marks(text).filter((word) => (first.words.get(word) ?? Infinity) > i);
    const used =
      fresh.some((word) => first.words.has(word)) ||
      triples(words(text)).some((run) => (first.triples.get(run) ?? -1) > i);
    if (fresh.length === 0 || used) return [];
    const message = `None of ${new Set(fresh).size} new words is used afterwards.`;
    return [
      finding(rollout, 'evidence-ignored', message, [
        { segment: i, start: 0, end: segment.text.length },
      ]),
    ];
  });
}
