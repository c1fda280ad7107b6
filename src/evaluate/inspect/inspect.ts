import { importRollouts, type RolloutLayout } from '../../data/rollouts/index.ts';
import { readFactsOf, type RolloutFacts } from './facts.ts';
import {
  lintRollout,
  lintRun,
  summaryOf,
  type Finding,
  type LintCode,
  type LintSummary,
} from './lint/index.ts';
import { statisticsOf, type Statistics } from './statistics.ts';
import { taxonomyOf, type Outcome } from './taxonomy.ts';

/** What one pass over a file says of it; rollouts themselves are not kept. */
export interface Inspection {
  name: string;
  layouts: Partial<Record<RolloutLayout, number>>;
  /** Tag protocols by rollouts; `none` where no tag was recognised. */
  protocols: Record<string, number>;
  faults: { line: number; reason: string }[];
  statistics: Statistics;
  /** Findings by code: how many, and in how many rollouts. */
  lint: Partial<Record<LintCode, { findings: number; rollouts: number }>>;
  outcomes: Partial<Record<Outcome, number>>;
}

/** Collects rollouts one by one; what it keeps does not grow with their length. */
export class Inspector {
  readonly #facts: RolloutFacts[] = [];
  readonly #summaries: LintSummary[] = [];
  readonly #findings: Finding[] = [];

  add(rollout: Parameters<typeof lintRollout>[0]): void {
    this.#facts.push(readFactsOf(rollout));
    this.#summaries.push(summaryOf(rollout));
    this.#findings.push(...lintRollout(rollout));
  }

  result(): Pick<Inspection, 'statistics' | 'lint' | 'outcomes'> & { findings: Finding[] } {
    const findings = [...this.#findings, ...lintRun(this.#summaries)];
    const taxonomy = taxonomyOf(this.#facts, findings);
    const lint: Inspection['lint'] = {};
    for (const { code } of findings) {
      const rollouts = taxonomy.findings[code]?.length ?? 0;
      const count = (lint[code] ??= { findings: 0, rollouts });
      count.findings += 1;
    }
    const outcomes = Object.fromEntries(
      Object.entries(taxonomy.outcomes).map(([outcome, ids]) => [outcome, ids.length]),
    );
    return { statistics: statisticsOf(this.#facts), lint, outcomes, findings };
  }
}

/**
 * Reads a file from end to end.
 * @param onProgress bytes read so far
 * @throws ImportError where it is no file of rollouts
 */
export async function inspectFile(
  source: Blob,
  name: string,
  onProgress?: (bytes: number) => void,
): Promise<Inspection> {
  const inspector = new Inspector();
  const layouts: Inspection['layouts'] = {};
  const protocols: Record<string, number> = {};
  const faults: Inspection['faults'] = [];
  for await (const item of importRollouts(source, name)) {
    onProgress?.(item.bytes);
    if (item.kind === 'fault') {
      faults.push({ line: item.line, reason: item.reason });
      continue;
    }
    const { rollout, layout } = item;
    const protocol = rollout.origin ? (rollout.origin.protocol ?? 'none') : 'forage';
    layouts[layout] = (layouts[layout] ?? 0) + 1;
    protocols[protocol] = (protocols[protocol] ?? 0) + 1;
    inspector.add(rollout);
  }
  const { statistics, lint, outcomes } = inspector.result();
  return { name, layouts, protocols, faults, statistics, lint, outcomes };
}
