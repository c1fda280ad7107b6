import { parseCustomSystem, type CustomSystem } from '../../evaluate/systems/custom.ts';
import { fnv1a } from '../../base/hash.ts';
import {
  fitRewardModel,
  pairAccuracy,
  rewardPairs,
  type RewardPair,
} from '../../learn/supervised/reward-model.ts';
import { openOutput } from '../evaluate/output.ts';
import { appendLines } from '../shared/append.ts';
import { print, say, type Command } from '../shared/command.ts';
import { asUsage } from '../shared/train-settings.ts';
import { rolloutsOf } from './trajectories.ts';

/** `lab reward-model`: a process reward model from rollouts with ranked candidates, as a system that decodes by it. */

const CANDIDATES = 5;
/** A question in this many is held out, to say how well the model tells the candidates of others apart. */
const HELD_OUT = 5;

const isHeldOut = ({ question }: RewardPair): boolean => (fnv1a(question) >>> 0) % HELD_OUT === 0;

export const rewardModelCommand: Command = {
  name: 'reward-model',
  summary: 'fits a process reward model (RAG-Gym) to ranked candidates of rollouts',
  positional: { name: 'FILE', required: true, many: true },
  options: {
    out: {
      type: 'string',
      value: 'FILE',
      help: 'the system that decodes by it, for lab evaluate --custom; default: standard output',
    },
    id: { type: 'string', value: 'ID', help: 'id of that system; default: rag-gym-prm' },
    base: {
      type: 'string',
      value: 'ID',
      help: 'recipe that it extends; default: rag-gym',
    },
    candidates: {
      type: 'integer',
      value: 'N',
      help: `candidates per step; default: ${CANDIDATES}`,
      min: 2,
      max: 32,
    },
  },
  async run(values, files) {
    const pairs = rewardPairs(files.flatMap(rolloutsOf));
    const learned = pairs.filter((pair) => !isHeldOut(pair));
    const held = pairs.filter(isHeldOut);
    const { weights, loss } = asUsage(() => fitRewardModel(learned));
    const told = `${learned.length} pairs, loss ${loss.toFixed(3)}; of ${held.length} held-out pairs ${(100 * pairAccuracy(held, weights)).toFixed(1)} % are in order`;
    const id = String(values['id'] ?? 'rag-gym-prm');
    const system: CustomSystem = {
      format: 'forage.system/1',
      id,
      title: 'RAG-Gym by its reward model',
      base: String(values['base'] ?? 'rag-gym'),
      changes: {
        loop: 'program',
        system: {
          id: 'rag-gym',
          n: Number(values['candidates'] ?? CANDIDATES),
          by: 'reward-model',
          weights,
        },
      },
      notes: `A process reward model, fitted to ${told}.`,
    };
    const text = JSON.stringify(
      asUsage(() => parseCustomSystem(system)),
      null,
      2,
    );
    const output = openOutput(values['out'] as string | undefined);
    if (output) appendLines(output.path, [text]);
    else print(text);
    say(`${told}.`);
  },
};
