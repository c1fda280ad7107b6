import type { AgentEvent } from '../../../../records/events.ts';
import { searchNumbers } from '../../../../records/searches.ts';
import type { Passage, Question } from '../../../../records/records.ts';

/** Finds the sentences of a passage with supporting facts or answers. Pure functions. */
export interface MarkedSentence {
  text: string;
  /** Evidence: states a gold step, or contains the answer in a supporting passage. */
  supports: boolean;
  /** Position of a name, as [start, end) in `text`. */
  spans: [number, number][];
}

type Gold = Pick<Question, 'supporting' | 'answers' | 'chain'>;

const isWordCharacter = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}]/u.test(character);

const escapePattern = (text: string): string =>
  text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);

/** Whole-word occurrences of `needle`, ignoring case. */
export const findSpans = (text: string, needle: string): [number, number][] => {
  const trimmed = needle.trim();
  if (trimmed === '') return [];
  // Not via lower case, which can change the length of a text and shift positions.
  const pattern = new RegExp(escapePattern(trimmed), 'giu');
  const spans: [number, number][] = [];
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    const at = found.index;
    const end = at + found[0].length;
    if (!isWordCharacter(text[at - 1]) && !isWordCharacter(text[end])) spans.push([at, end]);
    // Occurrences may overlap.
    pattern.lastIndex = at + ((found[0].codePointAt(0) ?? 0) > 0xffff ? 2 : 1);
  }
  return spans;
};

const mergeSpans = (spans: [number, number][]): [number, number][] => {
  const merged: [number, number][] = [];
  for (const [start, end] of spans.sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
};

/** The names to find in this passage: objects of its gold steps, else the answers. */
const namesToFind = (passage: Passage, gold: Gold): string[] => {
  const steps = gold.chain?.filter((step) => step.passageId === passage.id) ?? [];
  if (steps.length > 0) return steps.map((step) => step.object);
  const answers = gold.answers.filter((answer) => !/^(yes|no)$/i.test(answer.trim()));
  return answers;
};

/** By title: the gold chain names pages, and a page may be cut into several passages. */
export const isSupporting = (passage: Passage, gold: Gold | null): boolean =>
  gold !== null && gold.supporting.includes(passage.title);

/**
 * Marks the sentences of `passage`. Without gold the rollout's own answer is marked, and nothing is
 * called support.
 */
export const markSentences = (
  passage: Passage,
  gold: Gold | null,
  answer: string | null,
): MarkedSentence[] => {
  const supporting = isSupporting(passage, gold) && passage.noise === undefined;
  const names = gold ? namesToFind(passage, gold) : [];
  return passage.sentences.map((text) => {
    const goldSpans = names.flatMap((name) => findSpans(text, name));
    const own = answer && !/^(yes|no)$/i.test(answer.trim()) ? findSpans(text, answer) : [];
    return {
      text,
      supports: supporting && goldSpans.length > 0,
      spans: mergeSpans([...goldSpans, ...own]),
    };
  });
};

/** First retrieval of every passage: id → event index and number of the search (0: background). */
export const firstSeen = (
  events: readonly AgentEvent[],
): Map<string, { event: number; search: number }> => {
  const seen = new Map<string, { event: number; search: number }>();
  const numbers = searchNumbers(events);
  events.forEach((event, index) => {
    const search = event.kind === 'background' ? 0 : (numbers[index] ?? 0);
    if (event.kind !== 'retrieve' && event.kind !== 'background') return;
    for (const { passage } of event.hits) {
      if (!seen.has(passage.id)) seen.set(passage.id, { event: index, search });
    }
  });
  return seen;
};
