import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ChatTemplate, ChatTemplateError } from '../../src/policy/chat-template.ts';
import { CheckpointError } from '../../src/policy/checkpoint-error.ts';
import { memoryFiles, type CheckpointFiles } from '../../src/policy/checkpoint-files.ts';
import { openCheckpoint } from '../../src/policy/checkpoint.ts';
import { loadTokenizer } from '../../src/policy/load.ts';
import { Random } from '../../src/policy/random.ts';
import { loadFamily } from '../fixtures/families/load.ts';

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);

/** Values that a parser might take for what they are not. */
const HOSTILE: readonly unknown[] = [
  null, true, '', 'F8_E4M3', 'I64', '../../etc/passwd', 'x\u0000\n\u202e', -1, 0, 0.5, 1e308, -1e308,
  2 ** 24, 2 ** 31, 2 ** 53, 2 ** 53 + 2, [], {}, [[]], [-1, 4], [0, 2 ** 52], ['a', null],
  { __proto__: null }, 'longrope', 'sliding_attention', 'a'.repeat(5000), [2 ** 27, 2 ** 27],
]; // prettier-ignore

type Json = unknown;

/** Replaces, removes, doubles or renames one value somewhere inside. */
function mutateJson(json: Json, random: Random): Json {
  if (typeof json !== 'object' || json === null || random.next() < 0.08)
    return HOSTILE[random.integer(HOSTILE.length)];
  const entries = Object.entries(json);
  if (entries.length === 0) return HOSTILE[random.integer(HOSTILE.length)];
  const at = random.integer(entries.length);
  const [key, value] = entries[at]!;
  const choice = random.next();
  if (choice < 0.1) entries.splice(at, 1);
  else if (choice < 0.15) entries.push([`${key}.copy`, value]);
  else if (choice < 0.2) entries[at] = ['__proto__', value];
  else entries[at] = [key, mutateJson(value, random)];
  if (Array.isArray(json)) return entries.map(([, item]): unknown => item);
  return Object.fromEntries(entries);
}

/** Flips, cuts, inserts or repeats bytes. */
function mutateBytes(bytes: Uint8Array, random: Random): Uint8Array {
  const at = random.integer(bytes.length);
  const choice = random.next();
  if (choice < 0.15) return bytes.slice(0, at);
  if (choice < 0.3) {
    const extra = bytes.subarray(at, at + 1 + random.integer(40));
    return Uint8Array.from([...bytes.subarray(0, at), ...extra, ...bytes.subarray(at)]);
  }
  const copy = Uint8Array.from(bytes);
  for (let n = 1 + random.integer(3); n > 0; n--)
    copy[random.integer(bytes.length)] = random.integer(256);
  return copy;
}

function mutateText(text: string, random: Random): Uint8Array {
  if (random.next() < 0.5) return mutateBytes(encode(text), random);
  return encode(JSON.stringify(mutateJson(JSON.parse(text) as Json, random)));
}

/** Another header before the same data; the length before it is right, or anything. */
function mutateSafetensors(bytes: Uint8Array, random: Random): Uint8Array {
  const length = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  const header = mutateText(decode(bytes.subarray(8, 8 + length)), random);
  const out = new Uint8Array(8 + header.length + bytes.length - 8 - length);
  const said = random.next() < 0.9 ? header.length : random.next() * 2 ** (8 * random.integer(8));
  new DataView(out.buffer).setBigUint64(0, BigInt(Math.floor(said)), true);
  out.set(header, 8);
  out.set(bytes.subarray(8 + length), 8 + header.length);
  return random.next() < 0.1 ? out.slice(0, random.integer(out.length)) : out;
}

/** The same files, but one; reads are counted, and must lie inside their file. */
function changed(files: ReadonlyMap<string, Uint8Array>, name: string, bytes: Uint8Array) {
  const inner = memoryFiles(new Map([...files, [name, bytes]]));
  const read = { bytes: 0 };
  const counted: CheckpointFiles = {
    size: (name) => inner.size(name),
    readRange: async (file, start, end) => {
      const size = (await inner.size(file))!;
      expect(start >= 0 && end >= start && end <= size, `${file} ${start} ${end}`).toBe(true);
      read.bytes += end - start;
      return inner.readRange(file, start, end);
    },
  };
  return { files: counted, read };
}

const sharded = await loadFamily('llama-yarn');
const whole = await loadFamily('smollm3');
const total = (files: ReadonlyMap<string, Uint8Array>): number =>
  [...files.values()].reduce((sum, { length }) => sum + length, 0);

interface Case {
  count: number;
  from: ReadonlyMap<string, Uint8Array>;
  name: string;
  mutate: (bytes: Uint8Array, random: Random) => Uint8Array;
}
const asText = (bytes: Uint8Array, random: Random): Uint8Array => mutateText(decode(bytes), random);
const CASES: Case[] = [
  { count: 2000, from: whole.files, name: 'config.json', mutate: asText },
  { count: 1000, from: sharded.files, name: 'config.json', mutate: asText },
  { count: 2500, from: whole.files, name: 'model.safetensors', mutate: mutateSafetensors },
  {
    count: 500,
    from: sharded.files,
    name: 'model-00002-of-00004.safetensors',
    mutate: mutateSafetensors,
  },
  { count: 1000, from: sharded.files, name: 'model.safetensors.index.json', mutate: asText },
];

it.each(CASES)('$count damaged files $name: opened or refused in one line', async (of) => {
  const { count, from, name, mutate } = of;
  const random = new Random(count);
  let [opened, refused, slowest] = [0, 0, 0];
  for (let n = 0; n < count; n++) {
    const { files, read } = changed(from, name, mutate(from.get(name)!, random));
    const start = performance.now();
    try {
      const source = await openCheckpoint(files);
      expect(source.config.layers).toBeGreaterThan(0);
      opened++;
    } catch (error) {
      if (!(error instanceof CheckpointError)) throw error;
      expect(error.message).not.toMatch(/\p{C}/u);
      expect(error.message.length).toBeLessThan(1000);
      refused++;
    }
    slowest = Math.max(slowest, performance.now() - start);
    // Headers and settings, each once: never more than the files have.
    expect(read.bytes).toBeLessThan(total(from) + 10_000);
  }
  expect(slowest).toBeLessThan(1000);
  expect(refused).toBeGreaterThan(count / 4);
  expect(opened + refused).toBe(count);
});

const chat = (name: string, file: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(readFileSync(new URL(`../fixtures/chat/${name}/${file}`, import.meta.url)));

it('500 damaged tokenizers are read or refused in one line', async () => {
  const random = new Random(5);
  const settings = chat('qwen', 'tokenizer_config.json');
  let [slowest, refused] = [0, 0];
  for (let n = 0; n < 500; n++) {
    const tokenizer = mutateText(decode(chat('qwen', 'tokenizer.json')), random);
    const files = new Map<string, Uint8Array>([
      ['tokenizer.json', tokenizer],
      ['tokenizer_config.json', n % 2 ? settings : mutateText(decode(settings), random)],
    ]);
    const start = performance.now();
    try {
      await loadTokenizer(memoryFiles(files));
    } catch (error) {
      if (!(error instanceof CheckpointError)) throw error;
      expect(error.message).not.toMatch(/\p{C}/u);
      refused++;
    }
    slowest = Math.max(slowest, performance.now() - start);
  }
  expect(refused).toBeGreaterThan(60);
  expect(slowest).toBeLessThan(1000);
});

it('2,500 damaged templates are rendered or refused in one line', () => {
  const random = new Random(6);
  const templates = [
    decode(chat('llama3', 'chat_template.jinja')),
    (JSON.parse(decode(chat('qwen', 'tokenizer_config.json'))) as { chat_template: string })
      .chat_template,
  ];
  const pieces = templates.flatMap((template) => template.match(/\{[%{].*?[%}]\}|\w+|\W/g)!);
  const conversation = [{ role: 'user', content: 'Who?' } as const];
  let [slowest, refused] = [0, 0];
  for (let n = 0; n < 2500; n++) {
    let text = templates[n % 2]!;
    for (let change = 1 + random.integer(4); change > 0; change--) {
      const at = random.integer(text.length);
      const piece = pieces[random.integer(pieces.length)]!;
      text = text.slice(0, at) + piece + text.slice(at + random.integer(12));
    }
    const start = performance.now();
    try {
      const rendered = new ChatTemplate(text).render(conversation, { addGenerationPrompt: true });
      expect(rendered.length).toBeLessThan(600_000);
    } catch (error) {
      if (!(error instanceof ChatTemplateError)) throw error;
      expect(error.message).not.toMatch(/\p{C}/u);
      refused++;
    }
    slowest = Math.max(slowest, performance.now() - start);
  }
  expect(refused).toBeGreaterThan(300);
  expect(slowest).toBeLessThan(1000);
});
