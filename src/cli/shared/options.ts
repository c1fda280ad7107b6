import { parseArgs } from 'node:util';
import { messageOf } from '../../base/errors.ts';
import { knownAs } from '../../recipes/parts/nearest.ts';
import { COMMAND_LINE } from './paths.ts';

/** A mistake of the caller: one clear line on standard error, exit status 2. */
export class UsageError extends Error {}

export interface OptionSpec {
  type: 'string' | 'integer' | 'number' | 'boolean';
  /** Shown in the help; upper case for values. */
  value?: string;
  help: string;
  default?: string | number | boolean;
  required?: boolean;
  /** Allowed values of a string. */
  choices?: readonly string[];
  /** May be given several times; all values come as a list. Strings only. */
  multiple?: boolean;
  /** Least and greatest value of a number. */
  min?: number;
  max?: number;
}

export type OptionValues = Record<string, string | number | boolean | undefined>;

/** Values of the options that may be given several times, where they were given. */
export type OptionLists = Record<string, readonly string[]>;

export interface CommandSpec {
  name: string;
  summary: string;
  /** Words after the command, e.g. the question of `ask`. */
  positional?: {
    name: string;
    required: boolean;
    many?: boolean;
    /** A line of the help, where there is more to say of it than its name. */
    help?: () => string;
  };
  options: Record<string, OptionSpec>;
}

/** A longer list is shortened in messages. */
const MOST_CHOICES = 12;

const mustBe = (text: string, choices: readonly string[]): string =>
  choices.length > MOST_CHOICES
    ? knownAs(text, choices, '--help')
    : `it must be one of ${choices.join(', ')}`;

/** Reads one option's text as its type; throws a UsageError that names the option. */
function convert(name: string, spec: OptionSpec, text: string): string | number {
  if (spec.type === 'string') {
    if (spec.choices && !spec.choices.includes(text))
      throw new UsageError(`--${name} is '${text}'; ${mustBe(text, spec.choices)}.`);
    return text;
  }
  const value = Number(text);
  const whole = spec.type === 'integer';
  if (text.trim() === '' || !Number.isFinite(value) || (whole && !Number.isInteger(value)))
    throw new UsageError(`--${name} is '${text}'; it must be a ${whole ? 'whole ' : ''}number.`);
  if (spec.min !== undefined && value < spec.min)
    throw new UsageError(`--${name} is ${value}; it must be at least ${spec.min}.`);
  if (spec.max !== undefined && value > spec.max)
    throw new UsageError(`--${name} is ${value}; it must be at most ${spec.max}.`);
  return value;
}

/** Parses the words after a command. Unknown options, bad values and missing words are UsageErrors. */
export function parseOptions(
  command: CommandSpec,
  argv: readonly string[],
): { values: OptionValues; positionals: string[]; lists: OptionLists } {
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, spec]) => [
      name,
      {
        type: spec.type === 'boolean' ? ('boolean' as const) : ('string' as const),
        multiple: spec.multiple ?? false,
      },
    ]),
  );
  let parsed;
  try {
    parsed = parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
  } catch (error) {
    const message = messageOf(error);
    const first = message.split(/[.\n]/)[0] ?? message;
    throw new UsageError(`${first}. '${COMMAND_LINE} ${command.name} --help' lists the options.`);
  }
  if (!command.positional && parsed.positionals.length > 0)
    throw new UsageError(`${command.name} takes no argument '${parsed.positionals[0]}'.`);
  if (command.positional?.required && parsed.positionals.length === 0)
    throw new UsageError(`${command.name} needs ${command.positional.name}.`);
  const extra = parsed.positionals[1];
  if (command.positional?.many !== true && extra !== undefined)
    throw new UsageError(
      `${command.name} takes one ${command.positional?.name ?? 'argument'}, and '${extra}' is another; put text with spaces in quotes.`,
    );
  const values: OptionValues = {};
  const lists: OptionLists = {};
  for (const [name, spec] of Object.entries(command.options)) {
    const given = parsed.values[name];
    if (Array.isArray(given))
      lists[name] = given.map((text) => String(convert(name, spec, String(text))));
    else if (given === undefined) {
      if (spec.required)
        throw new UsageError(`${command.name} needs --${name} ${spec.value ?? ''}`.trim() + '.');
      values[name] = spec.default;
    } else {
      values[name] = typeof given === 'string' ? convert(name, spec, given) : given;
    }
  }
  return { values, positionals: parsed.positionals, lists };
}

/** The help of one command. */
export function commandHelp(command: CommandSpec): string {
  const rows = Object.entries(command.options).map(([name, spec]) => {
    const left = `  --${name}${spec.value ? ` ${spec.value}` : ''}`;
    const choices = spec.choices ? ` (${spec.choices.join(' | ')})` : '';
    const fallback = spec.default === undefined ? '' : ` [${spec.default}]`;
    return `${left.padEnd(26)}${spec.help}${choices}${fallback}`;
  });
  const words = command.positional
    ? ` ${command.positional.name}${command.positional.many ? ' …' : ''}`
    : '';
  const said = command.positional?.help?.();
  return [
    `lab ${command.name}${words}: ${command.summary}`,
    ...(said === undefined ? [] : [`${`  ${command.positional?.name}`.padEnd(26)}${said}`]),
    ...rows,
  ].join('\n');
}
