import {
  cutBy,
  spellSegments,
  toSpell,
  type Decode,
} from '../../evaluate/rollouts/reading/spell.ts';
import type { ImportedRollout } from '../../formats/rollouts/shape/imported.ts';
import type { Spelled } from '../contract/rollouts.ts';

/** A tokenizer that is available; it is read when it is asked for. */
export interface AvailableTokenizer {
  id: string;
  /** Names under which rollouts may call its policy. */
  names: readonly string[];
  open(): Promise<Decode>;
}

/** Finds the tokenizer of the policy that made a rollout: the built-in one, or a checkpoint of this device. */
export class Spelling {
  readonly #list: () => Promise<readonly AvailableTokenizer[]>;
  readonly #opened = new Map<string, Promise<Decode>>();

  constructor(list: () => Promise<readonly AvailableTokenizer[]>) {
    this.#list = list;
  }

  async spell(rollout: ImportedRollout): Promise<Spelled> {
    if (toSpell(rollout) === 0) return { status: 'nothing' };
    const policy = rollout.policy?.id ?? '';
    const named = ({ names }: AvailableTokenizer): boolean => names.includes(policy);
    const all = await this.#list();
    const tried: string[] = [];
    for (const one of [...all.filter(named), ...all.filter((other) => !named(other))]) {
      const decode = await this.#open(one).catch(() => null);
      if (!decode) continue;
      if (cutBy(rollout, decode))
        return {
          status: 'spelled',
          by: one.names[0] ?? one.id,
          pieces: spellSegments(rollout, decode),
        };
      if (named(one)) tried.push(one.names[0] ?? one.id);
    }
    return {
      status: 'missing',
      policy: rollout.policy ? `${policy}, revision ${rollout.policy.revision}` : null,
      other: tried.length > 0,
    };
  }

  #open(one: AvailableTokenizer): Promise<Decode> {
    const opening = this.#opened.get(one.id) ?? one.open();
    this.#opened.set(one.id, opening);
    // What could not be read now may be there another time.
    opening.catch(() => this.#opened.delete(one.id));
    return opening;
  }
}
