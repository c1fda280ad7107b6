import { type RunFile, importRun } from '../../formats/rollouts/run.ts';
import { countMissing, type MissingParts } from './missing-parts.ts';
import { readFactsOf, type RolloutFacts } from './lint/facts.ts';
import type { Finding, LintCode } from './lint/finding.ts';
import { lintRollout } from './lint/index.ts';
import { lintRun, summaryOf, type LintSummary } from './lint/run.ts';
import { statisticsOf, type Statistics } from './statistics.ts';
import { taxonomyOf, type Outcome } from './taxonomy.ts';

/** What one pass over the files of a run says of it; rollouts themselves are not kept. */
export interface Inspection {
  name: string;
  layouts: Record<string, number>;
  /** Tag protocols by rollouts; `none` where no tag was recognised. */
  protocols: Record<string, number>;
  /** What cannot be read: a line, or a whole file (line 0); `file` only where there are several. */
  faults: { file?: string; line: number; reason: string }[];
  /** Rollouts of each file, in the order of the steps; only where there are several. */
  files?: Record<string, number>;
  /** Rollouts that lack something, by what. */
  lacks: MissingParts;
  statistics: Statistics;
  /** Findings by code: how many, and in how many rollouts. */
  lint: Partial<Record<LintCode, { findings: number; rollouts: number }>>;
  outcomes: Partial<Record<Outcome, number>>;
}

/** Collects rollouts one by one; what it keeps does not grow with their length. */
class Inspector {
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
 * Reads the files of a run from end to end.
 * @param name of the run
 * @param onProgress bytes read so far
 * @throws ImportError where there is no rollout in them; the message says what they are
 */
export async function inspectRun(
  files: readonly RunFile[],
  name: string,
  onProgress?: (bytes: number) => void,
): Promise<Inspection> {
  const inspector = new Inspector();
  const layouts: Inspection['layouts'] = {};
  const protocols: Record<string, number> = {};
  const faults: Inspection['faults'] = [];
  const counts: Record<string, number> = {};
  const lacks: MissingParts = {};
  for await (const item of importRun(files, name)) {
    onProgress?.(item.bytes);
    const { file } = item;
    if (item.kind === 'fault') {
      faults.push({ file, line: item.line, reason: item.reason });
      continue;
    }
    if (file !== undefined) counts[file] = (counts[file] ?? 0) + 1;
    const { rollout, layout } = item;
    const protocol = rollout.origin ? (rollout.origin.protocol ?? 'none') : 'forage';
    layouts[layout] = (layouts[layout] ?? 0) + 1;
    protocols[protocol] = (protocols[protocol] ?? 0) + 1;
    countMissing(lacks, rollout);
    inspector.add(rollout);
  }
  const { statistics, lint, outcomes } = inspector.result();
  const several = files.length > 1 && { files: counts };
  return { name, layouts, protocols, faults, ...several, lacks, statistics, lint, outcomes };
}
