import { Environment, Interpreter, Template } from '@huggingface/jinja';
import { oneLine } from '../../base/errors.ts';
import { readOptionalFile } from '../checkpoint/checkpoint.ts';
import type { CheckpointFiles } from '../checkpoint/checkpoint-files.ts';
import type { ToolSchema, TurnMessage } from '../text-model.ts';
import { isObjectOrList } from '../../base/objects.ts';

/** A chat template that is missing, damaged, or asks for more than it may use. */
export class ChatTemplateError extends Error {
  override readonly name = 'ChatTemplateError';
}

/**
 * What a template may use. A template is a program of a stranger: its interpreter is asked at every
 * node, so that loops, recursion and growing values end in an error, not in a frozen tab.
 */
const MOST = {
  /** Characters of the template itself; published ones have up to 30,000. */
  source: 256 * 1024,
  /**
   * Work, in units of about 3 µs: nodes that are evaluated, what their values hold, and products as below. Published
   * templates render 1,000 messages and 20 tools within it. A count, not a clock: what opens on an idle machine opens on
   * a busy one.
   */
  work: 150_000,
  /** Characters of a text. */
  text: 512 * 1024,
  /** Bytes, about, that one value takes, those inside it counted. */
  value: 2 ** 20,
  /** Bytes, about, of all values together. */
  total: 64 * 2 ** 20,
  /** What a filter or a method may make of its operand: their sizes multiplied. */
  product: 2 ** 23,
  entries: 10_000,
};
/** Bytes, about, of a value beside its characters. */
const VALUE_BYTES = 64;
/** Bytes of a value, and units of a product, that are one of work. */
const BYTES_OF_WORK = 500;
const PRODUCT_OF_WORK = 100;
const DEEPEST = 100;

const tooMuch = (what: string): ChatTemplateError =>
  new ChatTemplateError(`chat template: ${what}; it is stopped`);

type Node = Parameters<Interpreter['evaluate']>[0];
type Value = ReturnType<Interpreter['evaluate']>;

/** The expression whose value decides how large an argument is: that of `name=value`, `*list`, `**map`. */
const valueOfArgument = (node: object): object => {
  if ('type' in node && /^Keyword|^Spread/.test(String(node.type)))
    for (const name of ['value', 'argument']) {
      const inner: unknown = Reflect.get(node, name);
      if (isObjectOrList(inner)) return inner;
    }
  return node;
};

/** A filter or a method of a value: what it is used on, and its arguments; such can multiply a text. */
function usedOn(
  node: object,
): { operand: object; args: object[]; first: 'operand' | 'args' } | null {
  const listOf = (of: object): object[] =>
    'args' in of && Array.isArray(of.args)
      ? of.args.filter(isObjectOrList).map(valueOfArgument)
      : [];
  if (!('type' in node)) return null;
  if (node.type === 'FilterExpression' && 'filter' in node && 'operand' in node)
    return isObjectOrList(node.filter) && isObjectOrList(node.operand)
      ? { operand: node.operand, args: listOf(node.filter), first: 'operand' }
      : null;
  if (node.type !== 'CallExpression' || !('callee' in node) || !isObjectOrList(node.callee))
    return null;
  const object: unknown = Reflect.get(node.callee, 'object');
  return isObjectOrList(object) ? { operand: object, args: listOf(node), first: 'args' } : null;
}

/** An interpreter that counts what it does. */
class BoundedInterpreter extends Interpreter {
  #work = 0;
  #total = 0;
  /** Of lists, which do not change. */
  readonly #weights = new WeakMap<object, number>();
  readonly #counted = new WeakSet<object>();
  /** Nodes looked at for filters and methods. */
  readonly #known = new WeakSet<object>();
  /** Of an argument: what its size is compared with; of an operand: its arguments. */
  readonly #operandOf = new WeakMap<object, object>();
  readonly #argumentsOf = new WeakMap<object, readonly object[]>();
  /** Of operands and arguments, when they were last evaluated. */
  readonly #sizes = new WeakMap<object, number>();

  override evaluate(node: Node, environment: Environment): Value {
    this.#do(1);
    if (node && !this.#known.has(node)) this.#look(node);
    const result = super.evaluate(node, environment);
    const weight = this.#count(result);
    const { value } = result;
    // A loop over a list costs more than its nodes say.
    this.#do(weight / BYTES_OF_WORK + (Array.isArray(value) ? 2 * value.length : 0));
    if (node) this.#compare(node, result, weight);
    return result;
  }

  #do(work: number): void {
    this.#work += work;
    if (this.#work > MOST.work) throw tooMuch('it does too much');
  }

  #look(node: object): void {
    this.#known.add(node);
    const use = usedOn(node);
    if (!use) return;
    if (use.first === 'args') this.#argumentsOf.set(use.operand, use.args);
    else for (const argument of use.args) this.#operandOf.set(argument, use.operand);
    for (const part of [use.operand, ...use.args]) this.#sizes.set(part, 0);
  }

  /** Checks a value, and adds it to the total where it is new. */
  #count(result: Value): number {
    const { value } = result;
    if (typeof value === 'string' && value.length > MOST.text)
      throw tooMuch(`a text has more than ${MOST.text} characters`);
    const weight = this.#weigh(value, 0);
    if (weight > MOST.value) throw tooMuch('a value has too many characters');
    if (this.#counted.has(result)) return weight;
    this.#counted.add(result);
    this.#total += weight;
    if (this.#total > MOST.total) throw tooMuch('its values together are too long');
    return weight;
  }

  /** Whichever of an operand and its arguments is evaluated last is compared with the others. */
  #compare(node: object, { value }: Value, weight: number): void {
    if (!this.#sizes.has(node)) return;
    const number = typeof value === 'number' ? 2 * Math.abs(value) : 0;
    const size = typeof value === 'string' ? value.length : Math.max(number, weight - VALUE_BYTES);
    const operand = this.#operandOf.get(node);
    const others = operand ? [operand] : (this.#argumentsOf.get(node) ?? []);
    for (const other of others) {
      const product = size * (this.#sizes.get(other) ?? 0);
      if (product > MOST.product) throw tooMuch('a filter or method would make a text too long');
      this.#do(product / PRODUCT_OF_WORK);
    }
    this.#sizes.set(node, size);
  }

  /** Bytes, about, of a value; of lists and maps, what they hold included. */
  #weigh(value: unknown, depth: number): number {
    if (typeof value === 'string') return VALUE_BYTES + value.length;
    if (!isObjectOrList(value)) return VALUE_BYTES;
    if (depth > DEEPEST) throw tooMuch('values are nested too deep');
    const known = this.#weights.get(value);
    if (known !== undefined) return known;
    this.#do(0.2);
    let weight = VALUE_BYTES;
    const held = Array.isArray(value) ? value : value instanceof Map ? [...value.values()] : [];
    for (const item of held as unknown[]) {
      weight += this.#weigh(isObjectOrList(item) && 'value' in item ? item.value : item, depth + 1);
      if (weight > MOST.value) break;
    }
    // Maps change (namespaces), lists do not.
    if (Array.isArray(value)) this.#weights.set(value, weight);
    return weight;
  }
}

/** Python's `range`, of a limited number of entries. */
function range(first: number, second?: number, step = 1): number[] {
  const [start, stop] = second === undefined ? [0, first] : [first, second];
  const count = Math.max(0, Math.ceil((stop - start) / step));
  if (!(count <= MOST.entries)) throw tooMuch(`range() has more than ${MOST.entries} entries`);
  return Array.from({ length: count }, (_, i) => start + i * step);
}

const MONTHS =
  'January February March April May June July August September October November December';

/** The parts of Python's `strftime` that templates use, in English. */
function strftime(format: string, now: Date): string {
  const month = MONTHS.split(' ')[now.getMonth()]!;
  const two = (n: number): string => String(n).padStart(2, '0');
  const parts: Record<string, string> = {
    '%Y': String(now.getFullYear()),
    '%m': two(now.getMonth() + 1),
    '%d': two(now.getDate()),
    '%b': month.slice(0, 3),
    '%B': month,
    '%H': two(now.getHours()),
    '%M': two(now.getMinutes()),
    '%%': '%',
  };
  return format.replaceAll(/%[YmdbBHM%]/g, (part) => parts[part]!);
}

export interface RenderOptions {
  /** Whether the text ends where the assistant's turn begins. */
  addGenerationPrompt: boolean;
  /** Functions that the model may call. */
  tools?: readonly ToolSchema[];
  /** Further names of the template, such as `enable_thinking`. */
  variables?: Readonly<Record<string, string | number | boolean>>;
  /** What `strftime_now` tells; the present by default. */
  now?: Date;
}

/** The chat template of a checkpoint, and the special tokens that it writes. */
export class ChatTemplate {
  readonly #parsed: Template['parsed'];
  readonly #specials: Readonly<Record<string, string>>;

  /**
   * @param source a Jinja template
   * @param specials special tokens by name: `bos_token`, `eos_token` …
   * @throws ChatTemplateError where the template is damaged or too long
   */
  constructor(source: string, specials: Readonly<Record<string, string>> = {}) {
    if (source.length > MOST.source)
      throw new ChatTemplateError(
        `chat template: it has ${source.length} characters; at most ${MOST.source} are read`,
      );
    this.#specials = specials;
    this.#parsed = asTemplateError(() => new Template(source).parsed);
  }

  /**
   * The text of a conversation, special tokens written out; `encodeTemplate` of the tokenizer takes it.
   * @throws ChatTemplateError: what the template raised (such as for roles in a wrong order), or that it
   *   used too many steps or too much space
   */
  render(messages: readonly TurnMessage[], options: RenderOptions): string {
    const environment = new Environment();
    const names: Record<string, unknown> = {
      true: true,
      false: false,
      none: null,
      True: true,
      False: false,
      None: null,
      range,
      raise_exception: (message: unknown) => {
        throw new ChatTemplateError(`chat template: ${String(message).slice(0, 300)}`);
      },
      strftime_now: (format: string) => strftime(format, options.now ?? new Date()),
      ...this.#specials,
      ...options.variables,
      messages: messages.map((message) => ({ ...message })),
      tools: options.tools && options.tools.length > 0 ? options.tools : null,
      documents: null,
      add_generation_prompt: options.addGenerationPrompt,
    };
    return asTemplateError(() => {
      for (const [name, value] of Object.entries(names)) environment.set(name, value);
      const result = new BoundedInterpreter(environment).run(this.#parsed);
      if (typeof result.value !== 'string') throw new Error('it gave no text');
      return result.value;
    });
  }
}

/** The engine's own words; those of the platform speak of its insides. */
function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return 'it is nested too deep';
  if (!(error instanceof Error)) return 'it stopped';
  if (error instanceof TypeError) return 'it asks for something that is not there';
  return error.message.replaceAll(/\bundefined\b/gi, 'nothing');
}

/** Runs a part of the template engine; what it throws is reported as a fault of the template. */
function asTemplateError<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof ChatTemplateError) throw error;
    throw new ChatTemplateError(`chat template: ${oneLine(reasonOf(error), 300)}`);
  }
}

/** Text of a token that is given as text, or as an object with its text. */
const tokenText = (value: unknown): string | null => {
  if (typeof value === 'string') return value;
  return isObjectOrList(value) && 'content' in value && typeof value.content === 'string'
    ? value.content
    : null;
};

/** The template that is named `default`, or the only one. */
function sourceIn(given: unknown): string | null {
  if (typeof given === 'string') return given;
  if (!Array.isArray(given)) return null;
  const named = (given as unknown[]).flatMap((entry) =>
    isObjectOrList(entry) && 'name' in entry && 'template' in entry ? [entry] : [],
  );
  const chosen = named.find(({ name }) => name === 'default') ?? named[0];
  return typeof chosen?.template === 'string' ? chosen.template : null;
}

/**
 * The chat template of a parsed `tokenizer_config.json`, with its special tokens.
 * @param file text of `chat_template.jinja`, which takes precedence, as in transformers
 * @returns null where there is none: the checkpoint is not made for conversations
 * @throws ChatTemplateError where it is damaged
 */
export function chatTemplateOf(
  config: Readonly<Record<string, unknown>>,
  file: string | null = null,
): ChatTemplate | null {
  const source = file ?? sourceIn(config['chat_template']);
  if (source === null) return null;
  const specials = Object.entries(config).flatMap(([name, value]) => {
    const text = name.endsWith('_token') ? tokenText(value) : null;
    return text === null ? [] : [[name, text] as const];
  });
  return new ChatTemplate(source, Object.fromEntries(specials));
}

/** `chat_template.jinja`, and `tokenizer_config.json` as it was parsed. */
async function templateFiles(
  files: CheckpointFiles,
): Promise<{ file: string | null; config: Record<string, unknown> }> {
  const file = await readOptionalFile(files, 'chat_template.jinja');
  const settings = await readOptionalFile(files, 'tokenizer_config.json');
  const text = (bytes: Uint8Array): string => new TextDecoder().decode(new Uint8Array(bytes));
  const config: unknown = settings
    ? asTemplateError(() => JSON.parse(text(settings)) as unknown)
    : {};
  if (!isObjectOrList(config)) throw new ChatTemplateError('tokenizer_config.json holds no object');
  return { file: file && text(file), config: { ...config } };
}

/**
 * The chat template of a checkpoint: `chat_template.jinja`, or that of `tokenizer_config.json`.
 * @throws ChatTemplateError where it is damaged; CheckpointError where a file cannot be read
 */
export async function loadChatTemplate(files: CheckpointFiles): Promise<ChatTemplate | null> {
  const { file, config } = await templateFiles(files);
  return chatTemplateOf(config, file);
}

/** The Jinja text of a checkpoint's chat template; null where it has none. @throws as `loadChatTemplate` */
export async function chatTemplateSource(files: CheckpointFiles): Promise<string | null> {
  const { file, config } = await templateFiles(files);
  return file ?? sourceIn(config['chat_template']);
}
