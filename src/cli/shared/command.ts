import type { CommandSpec, OptionLists, OptionValues } from './options.ts';

/** One command of `lab`. */
export interface Command extends CommandSpec {
  run(values: OptionValues, positionals: string[], lists: OptionLists): Promise<void>;
}

/** Progress and messages go to standard error, so that standard output holds results only. */
export const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** A line that is drawn over itself on a terminal, and left out elsewhere. */
export const sayProgress = (line: string): void => {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${line}`);
};

export const endProgress = (): void => {
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[2K');
};

export const print = (text: string): void => void process.stdout.write(`${text}\n`);
