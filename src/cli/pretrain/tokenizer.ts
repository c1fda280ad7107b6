import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FURTHER_TOKENS, SPECIAL_TOKENS } from '../../records/protocol.ts';
import { trainBpe } from '../../pretrain/policy/bpe.ts';
import { DemonstrationStream } from '../../world/demonstrations/stream.ts';
import { WHOLE_WORDS } from '../../world/facts/inventory.ts';
import { generateMiniWorld } from '../../world/world.ts';
import { writeSafely } from '../shared/write-safely.ts';

/** Trains the tokenizer of the built-in policy on text of fresh mini worlds and writes its files. */

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'public/policy' },
    seed: { type: 'string', default: '1' },
    worlds: { type: 'string', default: '500' },
    vocab: { type: 'string', default: '2304' },
  },
});

/** Rare words of the inventory are shown this often more, so that each becomes one piece. */
const EMPHASIS = 150;

function* texts(seed: number, worlds: number): Generator<string> {
  for (let i = 0; i < EMPHASIS; i++) yield ` ${WHOLE_WORDS.join(' ')}`;
  const demonstrations = new DemonstrationStream(seed);
  for (let w = 0; w < worlds; w++) {
    const world = generateMiniWorld(seed * 100_000 + w);
    for (const p of [...world.local, ...world.web]) yield ` ${p.title} : ${p.text}`;
    for (let i = 0; i < 8; i++) for (const s of demonstrations.at(8 * w + i).segments) yield s.text;
  }
}

const json = trainBpe(texts(Number(values.seed), Number(values.worlds)), {
  vocabSize: Number(values.vocab),
  specialTokens: [...SPECIAL_TOKENS, ...FURTHER_TOKENS],
});
const config = {
  tokenizer_class: 'PreTrainedTokenizerFast',
  eos_token: '<|endoftext|>',
  pad_token: '<|pad|>',
  bos_token: null,
  unk_token: null,
  clean_up_tokenization_spaces: false,
  model_max_length: 2048,
};
mkdirSync(values.out, { recursive: true });
writeSafely(join(values.out, 'tokenizer.json'), `${JSON.stringify(json)}\n`);
writeSafely(join(values.out, 'tokenizer_config.json'), `${JSON.stringify(config, null, 2)}\n`);
console.log(`${Object.keys(json.model.vocab).length} tokens, ${json.model.merges.length} merges`);
