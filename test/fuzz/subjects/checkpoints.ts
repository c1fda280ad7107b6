import { readFileSync } from 'node:fs';
import { CheckpointError } from '../../../src/policy/checkpoint/checkpoint-error.ts';
import {
  memoryFiles,
  type CheckpointFiles,
} from '../../../src/policy/checkpoint/checkpoint-files.ts';
import { openCheckpoint } from '../../../src/policy/checkpoint/checkpoint.ts';
import { ChatTemplateError, loadChatTemplate } from '../../../src/policy/open/chat-template.ts';
import { loadTokenizer } from '../../../src/policy/open/load.ts';
import { AdapterError, readPeft } from '../../../src/policy/lora/peft.ts';
import type { Random } from '../../../src/base/random.ts';
import { loadFamily } from '../../fixtures/families/load.ts';
import { bytesOf, mutateJsonFile, mutateSafetensors, mutateText, pick, textOf } from './mutate.ts';
import { must, subject, type Subject } from './subject.ts';

/** Files of a checkpoint: weights, index, settings, tokenizer, chat template, adapter. */

type Files = ReadonlyMap<string, Uint8Array>;

interface Broken {
  files: Files;
  /** The damaged one. */
  bytes: Uint8Array;
}

/** Counts what is read: ranges must lie in their file, and nothing is read over and over. */
function counted(files: Files): { files: CheckpointFiles; read: () => number } {
  const inner = memoryFiles(files);
  let read = 0;
  return {
    read: () => read,
    files: {
      size: (name) => inner.size(name),
      readRange: async (name, start, end) => {
        const size = (await inner.size(name)) ?? 0;
        must(start >= 0 && end >= start && end <= size, `read ${name} at ${start} to ${end}`);
        read += end - start;
        return inner.readRange(name, start, end);
      },
    },
  };
}

const total = (files: Files): number =>
  [...files.values()].reduce((sum, { length }) => sum + length, 0);

const damaged = (
  from: readonly Files[],
  name: string,
  mutate: (bytes: Uint8Array, random: Random) => Uint8Array,
) => {
  const having = from.filter((files) => files.has(name));
  return (random: Random): Broken => {
    const files = pick(random, having);
    const bytes = mutate(files.get(name)!, random);
    return { files: new Map([...files, [name, bytes]]), bytes };
  };
};

const ofCheckpoint = (error: unknown): boolean => error instanceof CheckpointError;

async function open({ files }: Broken): Promise<void> {
  const { files: source, read } = counted(files);
  const checkpoint = await openCheckpoint(source);
  must(checkpoint.config.layers > 0, 'a decoder without layers');
  must(read() <= 2 * total(files), 'read more than there is');
}

const families = await Promise.all(
  (['smollm3', 'llama-yarn', 'qwen2', 'qwen3-bias'] as const).map(loadFamily),
);
const wholes = families.filter(({ files }) => files.has('model.safetensors'));
const sharded = families.filter(({ files }) => files.has('model.safetensors.index.json'));
const filesOf = (of: typeof families): Files[] => of.map(({ files }) => files);

const chatFolder = (name: string): Files =>
  new Map(
    [
      'tokenizer.json',
      'tokenizer_config.json',
      'generation_config.json',
      'chat_template.jinja',
    ].flatMap((file) => {
      try {
        const url = new URL(`../../fixtures/chat/${name}/${file}`, import.meta.url);
        return [[file, new Uint8Array(readFileSync(url))] as const];
      } catch {
        return [];
      }
    }),
  );
const CHATS = ['llama3', 'qwen', 'smollm'].map(chatFolder);

export const TEXTS = [
  "Who directed “Night Ferry”, and where was she born? <|im_end|> 1931\n\n\tØstfold 東京 🦊 don't",
  `${'a'.repeat(400)} ${' '.repeat(200)}x${'1'.repeat(100)}${'é'.repeat(50)}`,
] as const;

const MESSAGES = [
  { role: 'system', content: 'Answer <b>soon</b>.' },
  { role: 'user', content: TEXTS[0] },
  { role: 'assistant', content: '<think>\n{{ 7 }}\n</think>Oslo' },
  { role: 'user', content: 'Why?' },
] as const;

async function tokenize({ files }: Broken): Promise<void> {
  const tokenizer = await loadTokenizer(memoryFiles(files));
  for (const text of TEXTS) {
    const ids = [tokenizer.encodeText(text), tokenizer.encodeTemplate(text)];
    for (const list of ids) {
      must(
        list.every((id) => Number.isInteger(id) && id >= 0),
        'ids that are none',
      );
      must(typeof tokenizer.decode(list) === 'string', 'no text');
    }
  }
}

async function render({ files }: Broken): Promise<void> {
  const template = await loadChatTemplate(memoryFiles(files));
  if (!template) return;
  const text = template.render(MESSAGES, { addGenerationPrompt: true });
  must(typeof text === 'string' && text.length < 600_000, 'a text too long');
}

const TEMPLATES = CHATS.map((files) => {
  const file = files.get('chat_template.jinja');
  if (file) return textOf(file);
  const settings = JSON.parse(textOf(files.get('tokenizer_config.json')!)) as {
    chat_template: string;
  };
  return settings.chat_template;
});
/** What templates are made of, to be put where it does not belong. */
const PIECES = [
  ...TEMPLATES.flatMap((text) => text.match(/\{[%{].*?[%}]\}|\w+|\W/g) ?? []),
  '{% for i in range(10000) %}', '{% endfor %}', '{% set ns = namespace(a="x") %}', '{% set ns.a = ns.a ~ ns.a %}',
  '{% macro f(x) %}', '{% endmacro %}', '{{ f(1) }}', '| tojson', '| length', '| join(",")', '| replace("a", "b")',
  '* 100000', '~ messages', '[::-1]', '.split("")', '| sort', '| map(attribute="content")', '| indent(200)',
]; // prettier-ignore

const adapters = families.map(({ files, source }) => ({ config: source.config, files }));

const adapter = (
  name: string,
  mutate: (bytes: Uint8Array, random: Random) => Uint8Array,
): Subject<{ at: number; bytes: Uint8Array }> => ({
  name,
  unit: 400,
  make: (random) => {
    const at = random.below(adapters.length);
    return { at, bytes: mutate(adapters[at]!.files.get(name)!, random) };
  },
  read: ({ at, bytes }) => {
    const { config, files } = adapters[at]!;
    const named = [...files].map(([file, good]) => ({
      name: file,
      bytes: file === name ? bytes : good,
    }));
    const { flat } = readPeft(config, named);
    must(
      flat.every((value) => Number.isFinite(value)),
      'values that are none',
    );
  },
  refuses: (error) => error instanceof AdapterError,
});

const settingsOf = (name: string): Subject<Broken> => ({
  name,
  unit: 80,
  make: damaged(CHATS, name, mutateJsonFile),
  read: async (broken) => {
    await tokenize(broken);
    await render(broken);
  },
  refuses: (error) => ofCheckpoint(error) || error instanceof ChatTemplateError,
});

export const CHECKPOINT_SUBJECTS: readonly Subject[] = [
  subject<Broken>({
    name: 'safetensors',
    unit: 500,
    make: damaged(filesOf(wholes), 'model.safetensors', mutateSafetensors),
    read: open,
    refuses: ofCheckpoint,
  }),
  subject<Broken>({
    name: 'safetensors index',
    unit: 500,
    make: damaged(filesOf(sharded), 'model.safetensors.index.json', mutateJsonFile),
    read: open,
    refuses: ofCheckpoint,
  }),
  subject<Broken>({
    name: 'config.json',
    unit: 400,
    make: damaged(filesOf(families), 'config.json', mutateJsonFile),
    read: open,
    refuses: ofCheckpoint,
  }),
  subject(settingsOf('tokenizer_config.json')),
  subject(settingsOf('generation_config.json')),
  subject<Broken>({
    name: 'tokenizer.json',
    unit: 200,
    make: damaged(CHATS, 'tokenizer.json', mutateJsonFile),
    read: tokenize,
    refuses: ofCheckpoint,
  }),
  subject<Broken>({
    name: 'chat template',
    unit: 400,
    make: (random) => {
      const at = random.below(TEMPLATES.length);
      const bytes = bytesOf(mutateText(TEMPLATES[at]!, random, PIECES));
      return { bytes, files: new Map([...CHATS[at]!, ['chat_template.jinja', bytes]]) };
    },
    read: render,
    refuses: (error) => error instanceof ChatTemplateError,
  }),
  subject(adapter('adapter_config.json', mutateJsonFile)),
  subject(adapter('adapter_model.safetensors', mutateSafetensors)),
];
