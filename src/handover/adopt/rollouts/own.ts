import { isOwnRollout, type ImportedRollout } from '../../../formats/rollouts/shape/imported.ts';
import { parseJson } from '../../../formats/rollouts/shape/json.ts';
import { readLines } from '../../../formats/rollouts/shape/lines.ts';
import { readRecord } from '../../../formats/rollouts/detect.ts';
import { nameOf, type AdoptFolder } from '../folder.ts';
import { factOf, type RolloutFact } from './facts.ts';
import { isHeldOut, isScoring, lastAttempt, lastById, type RolloutSource } from './source.ts';

/** `rollouts.jsonl` of the environment's server: `forage.rollout/1` unchanged, in the order in which they ended. */

interface Entry {
  fact: RolloutFact;
  blob: Blob;
  /** Bytes of its line. */
  start: number;
  end: number;
}

function readLine(text: string, name: string, line: number): ImportedRollout {
  const { rollout } = readRecord(parseJson(text), { name, line });
  if (!isOwnRollout(rollout)) throw new Error('is not a record of the environment');
  return rollout;
}

const append = <T>(map: Map<number, T[]>, key: number, value: T): void => {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
};

class OwnRollouts implements RolloutSource {
  readonly facts = new Map<number, RolloutFact[]>();
  readonly heldOut = new Map<number, RolloutFact[]>();
  readonly #entries = new Map<number, Entry[]>();
  readonly #turn: () => Promise<void>;

  constructor(
    entries: ReadonlyMap<number, Entry[]>,
    heldOut: ReadonlyMap<number, Entry[]>,
    turn: () => Promise<void>,
  ) {
    this.#turn = turn;
    for (const [step, own] of entries) {
      const kept = lastAttempt(lastById(own));
      this.#entries.set(step, kept);
      this.facts.set(
        step,
        kept.map(({ fact }) => fact),
      );
    }
    for (const [step, own] of heldOut)
      this.heldOut.set(
        step,
        lastAttempt(lastById(own)).map(({ fact }) => fact),
      );
  }

  async read(step: number): Promise<ImportedRollout[]> {
    const rollouts: ImportedRollout[] = [];
    for (const { blob, start, end, fact } of this.#entries.get(step) ?? []) {
      await this.#turn();
      rollouts.push(readLine(await blob.slice(start, end).text(), fact.id, step));
    }
    return rollouts;
  }
}

/** The servers' records; null where there are none. Lines that cannot be read are counted in `notes`. */
export async function ownRollouts(
  folder: AdoptFolder,
  notes: string[],
): Promise<RolloutSource | null> {
  const entries = new Map<number, Entry[]>();
  const heldOut = new Map<number, Entry[]>();
  // One a server, where several shared the questions.
  for (const { path } of folder.matching(/(?:^|\/)rollouts[^/]*\.jsonl$/)) {
    const blob = folder.blob(path);
    if (!blob) continue;
    let [before, broken, first] = [0, 0, 0];
    for await (const { number, bytes, ...line } of readLines(blob.stream())) {
      await folder.turn();
      const start = before;
      before = bytes;
      if (line.text?.trim() === '') continue;
      try {
        const rollout = readLine(line.text ?? '', nameOf(path), number);
        const { groupId, step } = rollout;
        if (step === null || isScoring(groupId)) continue;
        const entry = { fact: factOf(rollout), blob, start, end: bytes };
        append(isHeldOut(groupId) ? heldOut : entries, step, entry);
      } catch {
        broken += 1;
        first ||= number;
      }
    }
    if (broken > 0)
      notes.push(
        `${path}: ${broken} ${broken === 1 ? 'line is' : 'lines are'} not a record of a rollout (the first is line ${first}), and left out.`,
      );
  }
  return entries.size + heldOut.size === 0 ? null : new OwnRollouts(entries, heldOut, folder.turn);
}
