import { z } from 'zod';
import {
  DEFAULT_SETTINGS,
  mechanismsSchema,
  runSettingsSchema,
  type QuestionChoice,
  type PolicyChoice,
  type Mechanisms,
  type RunSettings,
} from '../../../lab/contract/settings.ts';
import { parsePolicyText, policyText, someSides, type AskSides } from './asked-policy.ts';
import { readForks, writeForks, type LinkedFork } from './fork-link.ts';
import { formatLink, parseLink, type LinkSetup } from './link-setup.ts';

/** The source of a question. */
export const ASK = '/ask';

/** The rollouts of one question in a training step, in the browser that trained. */
export interface StepGroup {
  runId: string;
  step: number;
  /** `groupId` of its rollouts. */
  group: string;
}

/** A rollout in a file of this browser; `evaluation-ID` for evaluations. */
export interface RecordPlace {
  file: string;
  rollout: string;
}

/** What the address of the Ask page restores. */
export interface AskAddress {
  /**
   * The rollouts on the screen if they come from training or a file; the address names them instead of
   * a question. Null for questions asked here.
   */
  of: StepGroup | RecordPlace | null;
  asked: QuestionChoice | null;
  settings: RunSettings;
  /** The setup; built-in parts are omitted. */
  setup: LinkSetup;
  /** Policies that are asked instead of the setup's, or in comparison; absent or null: none. */
  sides?: AskSides | null;
  /** Forks of the rollouts on the screen, in this order; absent: none. */
  forks?: readonly LinkedFork[];
  /** Run as soon as everything is loaded. */
  run: boolean;
  /** 0-based rollout in focus. */
  rollout: number;
  /** 0-based event of playback; null shows everything. */
  step: number | null;
}

const NAMES: Record<keyof Mechanisms, string> = {
  background: 'rdra',
  stie: 'stie',
  router: 'nlr',
  reward: 'reward',
  protocol: 'protocol',
  k: 'k',
  webDelayMs: 'delay',
};

const KEYS = mechanismsSchema.keyof().options;

const integer = z.coerce.number().int().min(0);

/** Parses one field; an invalid value is listed in `problems` and the default is kept. */
const read = <T>(
  query: URLSearchParams,
  name: string,
  schema: z.ZodType<T>,
  fallback: T,
  problems: string[],
): T => {
  const raw = query.get(name);
  if (raw === null) return fallback;
  const asNumber = raw.trim() === '' ? NaN : Number(raw);
  for (const candidate of [raw, asNumber]) {
    const parsed = schema.safeParse(candidate);
    if (parsed.success) return parsed.data;
  }
  problems.push(`${name}=${raw}`);
  return fallback;
};

const readMechanisms = (query: URLSearchParams, problems: string[]): Mechanisms => {
  const values: Record<string, unknown> = {};
  for (const key of KEYS) {
    const value = read<unknown>(
      query,
      NAMES[key],
      mechanismsSchema.shape[key],
      undefined,
      problems,
    );
    if (value !== undefined) values[key] = value;
  }
  return mechanismsSchema.parse(values);
};

const readAsked = (query: URLSearchParams): QuestionChoice | null => {
  const id = query.get('q');
  if (id) return { kind: 'world', id: id.slice(0, 100) };
  const text = query.get('ask')?.trim();
  return text ? { kind: 'typed', text } : null;
};

const groupSchema = z.strictObject({
  runId: z.string().min(1).max(200),
  // 0: held-out questions before the first step.
  step: z.coerce.number().int().min(0),
  group: z.string().min(1).max(300),
});

const recordSchema = z.strictObject({
  file: z.string().min(1).max(300),
  rollout: z.string().min(1).max(500),
});

const readRecord = (query: URLSearchParams, problems: string[]): RecordPlace | null => {
  const file = query.get('file');
  if (file === null) return null;
  const parsed = recordSchema.safeParse({ file, rollout: query.get('id') });
  if (parsed.success) return parsed.data;
  problems.push(`file=${file.slice(0, 100)}`);
  return null;
};

const readOf = (query: URLSearchParams, problems: string[]): AskAddress['of'] => {
  const runId = query.get('of');
  if (runId === null) return readRecord(query, problems);
  const [step, group] = [query.get('at'), query.get('group')];
  const parsed = groupSchema.safeParse({ runId, step, group });
  if (parsed.success) return parsed.data;
  problems.push(`of=${runId.slice(0, 100)}`);
  return null;
};

const readLink = (query: URLSearchParams, problems: string[]): LinkSetup => {
  const text = query.get('with');
  if (text === null) return {};
  try {
    return parseLink(text);
  } catch {
    problems.push(`with=${text.slice(0, 100)}`);
    return {};
  }
};

/** Policies asked instead of the setup's, if the address names any. */
const readSides = (query: URLSearchParams, problems: string[]): { sides?: AskSides } => {
  const readOne = (name: string): PolicyChoice | 'alone' | null => {
    const text = query.get(name);
    if (text === null) return null;
    const policy = parsePolicyText(text);
    if (!policy) problems.push(`${name}=${text.slice(0, 100)}`);
    return policy;
  };
  const policy = readOne('policy');
  const sides = someSides({
    policy: policy === 'alone' ? null : policy,
    beside: readOne('beside'),
  });
  return sides ? { sides } : {};
};

/** Parses `location.search`; `problems` lists invalid fields as written. */
export const parseAddress = (search: string): { address: AskAddress; problems: string[] } => {
  const query = new URLSearchParams(search);
  const problems: string[] = [];
  const { shape } = runSettingsSchema;
  const settings: RunSettings = {
    recipe: read(query, 'recipe', shape.recipe, DEFAULT_SETTINGS.recipe, problems),
    rollouts: read(query, 'n', shape.rollouts, DEFAULT_SETTINGS.rollouts, problems),
    temperature: read(query, 't', shape.temperature, DEFAULT_SETTINGS.temperature, problems),
    seed: read(query, 'seed', shape.seed, DEFAULT_SETTINGS.seed, problems),
    device: read(query, 'device', shape.device, DEFAULT_SETTINGS.device, problems),
    mechanisms: readMechanisms(query, problems),
  };
  const rollout = read(query, 'rollout', integer, 1, problems);
  const step = read<number | null>(query, 'step', integer, null, problems);
  return {
    address: {
      of: readOf(query, problems),
      asked: readAsked(query),
      settings,
      setup: readLink(query, problems),
      ...readSides(query, problems),
      ...readForks(query, problems),
      run: query.get('run') === '1',
      rollout: Math.max(0, rollout - 1),
      step: step === null || step === 0 ? null : step - 1,
    },
    problems,
  };
};

/** The query string (with `?`, or empty) that `parseAddress` turns into the same address. */
export const formatAddress = (address: AskAddress): string => {
  const query = new URLSearchParams();
  const { asked, settings, of } = address;
  const end = (): string => {
    writeForks(query, address.forks ?? []);
    if (address.rollout > 0) query.set('rollout', String(address.rollout + 1));
    if (address.step !== null) query.set('step', String(address.step + 1));
    const text = query.toString();
    return text ? `?${text}` : '';
  };
  if (of && 'file' in of) {
    query.set('file', of.file);
    query.set('id', of.rollout);
    return end();
  }
  if (of) {
    query.set('of', of.runId);
    query.set('at', String(of.step));
    query.set('group', of.group);
    return end();
  }
  if (asked?.kind === 'world') query.set('q', asked.id);
  if (asked?.kind === 'typed') query.set('ask', asked.text);
  const put = (name: string, value: string | number, unless: string | number) => {
    if (value !== unless) query.set(name, String(value));
  };
  put('recipe', settings.recipe, '');
  put('n', settings.rollouts, DEFAULT_SETTINGS.rollouts);
  if (settings.temperature !== null) query.set('t', String(settings.temperature));
  put('seed', settings.seed, '');
  put('device', settings.device, DEFAULT_SETTINGS.device);
  for (const key of KEYS) {
    const value = settings.mechanisms[key];
    if (value !== undefined) query.set(NAMES[key], String(value));
  }
  put('with', formatLink(address.setup), '');
  const { policy = null, beside = null } = address.sides ?? {};
  if (policy) query.set('policy', policyText(policy));
  if (beside) query.set('beside', policyText(beside));
  if (address.run) query.set('run', '1');
  return end();
};

/** What an address shows, apart from its settings: a change is a new entry of the browser history. */
export const placeOf = ({ of, asked }: Pick<AskAddress, 'of' | 'asked'>): string => {
  if (of) return 'file' in of ? `record ${of.file} ${of.rollout}` : `step ${of.group}`;
  if (asked === null) return '';
  return asked.kind === 'world' ? `question ${asked.id}` : 'typed';
};
