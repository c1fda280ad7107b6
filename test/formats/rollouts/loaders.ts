/**
 * How two tools parse the files that we write for them, in our words, from their sources: which keys they
 * need, of which types, and which lists must be equally long. Each throws where the tool would.
 */

type Json = Record<string, unknown>;

const parsed = (line: string): Json => JSON.parse(line) as Json;

/** Python's `int()` of a JSON value. */
function pythonInt(value: unknown): number {
  if (typeof value === 'number') return Math.trunc(value);
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'string' && /^\s*[+-]?\d+\s*$/.test(value)) return Number(value);
  throw new TypeError(
    `int() argument must be a string or a real number, not ${JSON.stringify(value)}`,
  );
}

const numbersOf = (value: unknown, what: string): number[] => {
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'number'))
    throw new TypeError(`${what}: numpy cannot subtract ${JSON.stringify(value)?.slice(0, 60)}`);
  return value;
};

/** Keys that the board collects, one list per step. */
const BOARD_KEYS = [
  'prompt',
  'response',
  'ref_response',
  'reward',
  'ref_reward',
  'response_tokens',
  'logprobs',
  'ref_logprobs',
  'values',
  'token_rewards',
  'ground_truth',
];

interface BoardStep {
  lists: Record<string, unknown[]>;
  lengths: number[];
  logRatios: number[][];
  meanReward: number;
  meanLength: number;
}

export interface Board {
  steps: Map<number, BoardStep>;
  /** Lines that its loader counts as errors and leaves out. */
  errors: string[];
}

function addLine(steps: Map<number, BoardStep>, line: string): void {
  const data = parsed(line);
  if (!Object.hasOwn(data, 'step')) throw new Error("KeyError: 'step'");
  const number = pythonInt(data['step']);
  const step = steps.get(number) ?? {
    lists: Object.fromEntries(BOARD_KEYS.map((key) => [key, [] as unknown[]])),
    lengths: [],
    logRatios: [],
    meanReward: NaN,
    meanLength: NaN,
  };
  steps.set(number, step);
  for (const key of BOARD_KEYS) if (Object.hasOwn(data, key)) step.lists[key]!.push(data[key]);
  if (Object.hasOwn(data, 'response_tokens'))
    step.lengths.push((data['response_tokens'] as unknown[]).length);
  if (!Object.hasOwn(data, 'logprobs') || !Object.hasOwn(data, 'ref_logprobs')) return;
  const own = numbersOf(data['logprobs'], 'logprobs');
  const reference = numbersOf(data['ref_logprobs'], 'ref_logprobs');
  if (own.length !== reference.length) throw new Error('operands could not be broadcast together');
  step.logRatios.push(own.map((value, i) => value - reference[i]!));
}

const texts = (list: unknown[], what: string): string[] => {
  if (!list.every((item) => typeof item === 'string')) throw new TypeError(`${what} is no text`);
  return list;
};

/** What the pages draw of a step once it is loaded: sums, lengths, one data frame of all lists. */
function drawStep({ lists, ...rest }: BoardStep): BoardStep {
  const rewards = numbersOf(lists['reward'], 'sum of rewards');
  if (rewards.length === 0) throw new Error('ZeroDivisionError: no reward');
  const responses = texts(lists['response']!, 'response');
  const prompts = texts(lists['prompt']!, 'prompt');
  const shown = ['prompt', 'response', 'reward', 'ground_truth', 'ref_response', 'ref_reward'];
  const lengths = shown.map((key) => lists[key]!.length).filter((length) => length > 0);
  if (new Set(lengths).size > 1) throw new Error('All arrays must be of the same length');
  // A column of one type: texts and lists in one do not go into the table.
  if (new Set(lists['ground_truth']!.map((one) => Array.isArray(one))).size > 1)
    throw new Error('cannot mix list and non-list values');
  if (lists['token_rewards']!.length > 0)
    prompts.forEach((_, i) => {
      const tokens = lists['response_tokens']![i];
      const logprobs = lists['logprobs']![i];
      if (!Array.isArray(tokens) || !Array.isArray(logprobs)) throw new Error('IndexError');
    });
  return {
    lists,
    ...rest,
    meanReward: rewards.reduce((sum, value) => sum + value, 0) / rewards.length,
    meanLength: Math.trunc(
      responses.reduce((sum, text) => sum + Array.from(text).length, 0) / responses.length,
    ),
  };
}

/** RLLoggingBoard: `load_log_file` and the tables of `main_page` in `rl_logging_board.py`. */
export function loadBoard(file: string): Board {
  const steps = new Map<number, BoardStep>();
  const errors: string[] = [];
  for (const line of file.split('\n').filter((one) => one !== '')) {
    try {
      addLine(steps, line);
    } catch (error) {
      errors.push((error as Error).message);
    }
  }
  if (steps.size === 0) throw new Error('No log file(s) found');
  return { steps: new Map([...steps].map(([number, step]) => [number, drawStep(step)])), errors };
}

/** verl: `load_dir` and `load_path` of `scripts/rollout_viewer.py`; files by name. */
export function loadVerlViewer(files: Record<string, string>): Record<string, string>[][] {
  const names = Object.keys(files).filter((name) => name.endsWith('.jsonl'));
  const stepOf = (name: string): number => pythonInt(name.replace(/\.jsonl$/, ''));
  return names
    .sort((a, b) => stepOf(a) - stepOf(b))
    .map((name) =>
      files[name]!.split('\n')
        .slice(0, -1)
        .map((line) =>
          Object.fromEntries(
            Object.entries(parsed(line)).map(([key, value]) => [
              key,
              typeof value === 'string' ? value : JSON.stringify(value, null, 4),
            ]),
          ),
        ),
    );
}
