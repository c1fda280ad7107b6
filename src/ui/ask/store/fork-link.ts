import { FORK_CHANGES, type ForkChange } from '../../../agent/fork/changes.ts';
import type { SourceName } from '../../../records/hits.ts';
import type { PolicyChoice } from '../../../lab/contract/settings.ts';
import { pickOf } from '../../kit/pick-of.ts';
import { parsePolicyText, policyText } from '../policies/asked-policy.ts';

/** Forks as an address says them, each one field: `fork=1-5-source-web`. */

export interface LinkedFork {
  /** 0-based place of the rollout that it leaves, when it was made: forks stand behind theirs. */
  rollout: number;
  /** 0-based index of the first event that is its own. */
  event: number;
  change: ForkChange;
  /** Of `source`. */
  source?: SourceName;
  /** Of `temperature`. */
  temperature?: number;
  /** Of `policy`. */
  policy?: PolicyChoice;
}

/** Forks that an address may ask for; they are made one after another, and further ones are ignored. */
const MOST = 16;
const SOURCES = ['local', 'web'] as const;
const HOTTEST = 2;

/** Rollout and event are counted from one, as people do. */
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

type Told = Pick<LinkedFork, 'source' | 'temperature' | 'policy'>;

/** What is after the change; null where that is not what the change needs. */
function toldOf(change: ForkChange, text: string | undefined): Told | null {
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
  const told = change && toldOf(change, rest);
  if (!change || !told) return null;
  return { rollout: Number(rollout) - 1, event: Number(event) - 1, change, ...told };
}

/**
 * Forks of an address, in the order in which they are made. A later one may leave an earlier one, so what
 * stands after a field that cannot be read is left out with it.
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

/** Adds the forks to an address, in the order in which they were made; those beyond `MOST` are left out. */
export function writeForks(query: URLSearchParams, forks: readonly LinkedFork[]): void {
  for (const fork of forks.slice(0, MOST)) query.append('fork', textOf(fork));
}
