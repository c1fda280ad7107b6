import { FORK_CHANGES, type ForkChange } from '../../../agent/fork/changes.ts';
import type { SourceName } from '../../../records/hits.ts';
import type { PolicyChoice } from '../../../lab/contract/settings.ts';
import { pickOf } from '../../kit/pick-of.ts';
import { parsePolicyText, policyText } from './asked-policy.ts';

/** Forks as fields of an address: `fork=1-5-source-web`. */

export interface LinkedFork {
  /** 0-based position of the source rollout at that time; forks follow their source. */
  rollout: number;
  /** 0-based index of the first event of the fork. */
  event: number;
  change: ForkChange;
  /** Of `source`. */
  source?: SourceName;
  /** Of `temperature`. */
  temperature?: number;
  /** Of `policy`. */
  policy?: PolicyChoice;
}

/** Most forks of one address; they are made one after another, and further ones are ignored. */
const MOST = 16;
const SOURCES = ['local', 'web'] as const;
const HOTTEST = 2;

/** Rollout and event count from one in the address. */
const FORM = /^([1-9]\d{0,2})-([1-9]\d{0,4})-([a-z]+)(?:-(.+))?$/;

const textOf = ({ rollout, event, change, source, temperature, policy }: LinkedFork): string =>
  [
    rollout + 1,
    event + 1,
    change,
    ...(source ? [source] : []),
    ...(temperature === undefined ? [] : [temperature]),
    ...(policy ? [policyText(policy)] : []),
  ].join('-');

type ForkArgument = Pick<LinkedFork, 'source' | 'temperature' | 'policy'>;

/** The argument of the change; null if the change needs another one. */
function parseArgument(change: ForkChange, text: string | undefined): ForkArgument | null {
  switch (change) {
    case 'source': {
      const source = pickOf(SOURCES, text ?? '');
      return source ? { source } : null;
    }
    case 'temperature': {
      const temperature = /^\d+(\.\d+)?$/.test(text ?? '') ? Number(text) : NaN;
      return temperature <= HOTTEST ? { temperature } : null;
    }
    case 'policy': {
      const policy = text === undefined ? null : parsePolicyText(text);
      return policy && policy !== 'alone' ? { policy } : null;
    }
    case 'gold':
    case 'admit':
    case 'draw':
      return text === undefined ? {} : null;
  }
}

function parseOne(text: string): LinkedFork | null {
  const [, rollout, event, name = '', rest] = FORM.exec(text) ?? [];
  const change = pickOf(FORK_CHANGES, name);
  const argument = change && parseArgument(change, rest);
  if (!change || !argument) return null;
  return { rollout: Number(rollout) - 1, event: Number(event) - 1, change, ...argument };
}

/**
 * The forks of an address, in order. A later fork may start from an earlier one, so everything after
 * an invalid field is dropped.
 */
export function readForks(query: URLSearchParams, problems: string[]): { forks?: LinkedFork[] } {
  const texts = query.getAll('fork');
  const forks: LinkedFork[] = [];
  for (const text of texts) {
    const fork = forks.length < MOST ? parseOne(text) : null;
    if (!fork) {
      problems.push(`fork=${text.slice(0, 100)}`);
      break;
    }
    forks.push(fork);
  }
  return forks.length > 0 ? { forks } : {};
}

/** Adds the forks to an address, in order; at most `MOST`. */
export function writeForks(query: URLSearchParams, forks: readonly LinkedFork[]): void {
  for (const fork of forks.slice(0, MOST)) query.append('fork', textOf(fork));
}
