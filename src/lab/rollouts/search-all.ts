import { messageOf } from '../../base/errors.ts';
import { present } from '../../base/items.ts';
import { createTurns } from '../../base/turns.ts';
import { findInRollout, type MatchingRollout } from '../../evaluate/rollouts/reading/full-text.ts';
import { textPattern } from '../../evaluate/rollouts/reading/spans.ts';
import { textsOf, type RolloutTexts } from '../../formats/rollouts/own-schema.ts';
import type { FileRecord } from '../contract/records/rollout-files.ts';
import type { SearchMatch, OwnEvaluation, OwnRun, SearchUpdate } from '../contract/rollouts.ts';
import type { StoredLine } from './own-runs.ts';

/** Full-text search over the rollouts of every file, and of the training runs and evaluations that no file was made of. */

/** What is looked through. */
export interface Searched {
  files: readonly Pick<FileRecord, 'id' | 'name' | 'rollouts'>[];
  /** The rollouts of a file as it keeps them, part by part: a line of JSON each. */
  parts: (fileId: string) => AsyncIterable<string[]>;
  runs: readonly Pick<OwnRun, 'id' | 'name'>[];
  /** The rollouts of a run, step by step. */
  steps: (runId: string) => AsyncIterable<RolloutTexts[]> | readonly RolloutTexts[][];
  evaluations: readonly OwnEvaluation[];
  /** The rollouts of an evaluation as it keeps them, some at a time. */
  made: (evaluationId: string) => AsyncIterable<StoredLine[]> | readonly StoredLine[][];
}

/** Some rollouts of a place: how many, and those of them that may have the words. */
interface Part {
  rollouts: number;
  candidates: readonly RolloutTexts[];
}

interface Place extends Pick<SearchMatch, 'kind' | 'id' | 'name'> {
  /** Null where nobody counted them. */
  rollouts: number | null;
  parts(): AsyncIterable<Part>;
}

/** Rollouts of a place that are notified of; those after them are counted. */
const MOST_TOLD = 100;
/** Milliseconds between two updates. */
const TELL_EVERY_MS = 120;

/**
 * Rollouts of a part that may have the words. JSON writes every text as it stands except for quotes, backslashes and
 * control characters, so a line without the words as JSON writes them need not be parsed.
 */
function candidatesOf(
  lines: readonly { line: string; id?: string }[],
  written: RegExp,
): RolloutTexts[] {
  return lines.flatMap(({ line, ...named }) => {
    written.lastIndex = 0;
    if (!written.test(line)) return [];
    const texts = textsOf(JSON.parse(line));
    // Another version of the page may have written it.
    if (!texts) throw new Error('a part of it is damaged');
    return [{ ...texts, ...named }];
  });
}

function placesOf(searched: Searched, text: string): Place[] {
  const { files, parts, runs, steps, evaluations, made } = searched;
  const written = textPattern(JSON.stringify(text).slice(1, -1));
  return [
    ...files.map(({ id, name, rollouts }): Place => ({
      kind: 'file',
      id,
      name,
      rollouts,
      async *parts() {
        for await (const lines of parts(id))
          yield {
            rollouts: lines.length,
            candidates: candidatesOf(
              lines.map((line) => ({ line })),
              written,
            ),
          };
      },
    })),
    ...runs.map(({ id, name }): Place => ({
      kind: 'run',
      id,
      name,
      rollouts: null,
      async *parts() {
        for await (const rollouts of steps(id))
          yield { rollouts: rollouts.length, candidates: rollouts };
      },
    })),
    ...evaluations.map(({ id, name, done }): Place => ({
      kind: 'evaluation',
      id,
      name,
      rollouts: done,
      async *parts() {
        for await (const lines of made(id))
          yield { rollouts: lines.length, candidates: candidatesOf(lines, written) };
      },
    })),
  ];
}

/** What was found since the last update. */
class Findings {
  readonly #report: (update: SearchUpdate) => void;
  readonly #places: number;
  #told = performance.now();
  #found: SearchMatch[] = [];
  #done = 0;

  constructor(places: number, tell: (update: SearchUpdate) => void) {
    this.#places = places;
    this.#report = tell;
  }

  begin({ kind, id, name }: Place): void {
    this.#found.push({ kind, id, name, rollouts: 0, count: 0, hits: [], problem: null });
  }

  get #current(): SearchMatch {
    return present(this.#found.at(-1), 'the place that is looked through');
  }

  add(hit: MatchingRollout): void {
    const place = this.#current;
    place.count += 1;
    if (place.count <= MOST_TOLD) place.hits.push(hit);
  }

  /** @param all of the place; null where nobody counted them */
  looked(rollouts: number, all: number | null): void {
    this.#current.rollouts += rollouts;
    this.#sometimes(all ? Math.min(1, this.#current.rollouts / all) : 0);
  }

  end(problem: string | null): void {
    this.#current.problem = problem;
    this.#done += 1;
    this.#sometimes(0);
  }

  #sometimes(share: number): void {
    if (performance.now() - this.#told >= TELL_EVERY_MS) this.tell(share);
  }

  /** @param share of the place that is looked through now, 0 to 1 */
  tell(share = 0): void {
    this.#told = performance.now();
    const found = this.#found;
    // The last one continues, without what was notified of it.
    this.#found = found.slice(-1).map((place) => ({ ...place, hits: [] }));
    this.#report({ share: (this.#done + share) / this.#places, places: this.#places, found });
  }
}

/**
 * Tells of the rollouts that have some words, whatever their case, place by place as they are found.
 * @throws the signal's reason where it was stopped
 */
export async function searchAll(
  searched: Searched,
  text: string,
  tell: (update: SearchUpdate) => void,
  signal: AbortSignal,
): Promise<void> {
  const pattern = textPattern(text);
  const turn = createTurns(signal);
  const places = placesOf(searched, text);
  const findings = new Findings(places.length, tell);
  for (const place of places) {
    findings.begin(place);
    let problem: string | null = null;
    try {
      for await (const { rollouts, candidates } of place.parts()) {
        for (const candidate of candidates) {
          const hit = findInRollout(candidate, pattern);
          if (hit) findings.add(hit);
          await turn();
        }
        await turn();
        findings.looked(rollouts, place.rollouts);
      }
    } catch (error) {
      signal.throwIfAborted();
      // The other places are looked through all the same.
      problem = messageOf(error);
    }
    findings.end(problem);
  }
  signal.throwIfAborted();
  if (places.length > 0) findings.tell();
}
