import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks of a process's own threads, and its parent. Null where the process is gone. */
function processStat(pid: string): { parent: string; ticks: number } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is a name in brackets that may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { parent: fields[1]!, ticks: Number(fields[11]) + Number(fields[12]) };
  } catch {
    return null;
  }
}

const commandOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
};

/**
 * Processor seconds (10 ms steps) used so far by the process whose command line holds `mark` and by
 * all its descendants. Linux only: NaN elsewhere.
 */
export function cpuSeconds(mark: string): number {
  let pids: string[];
  try {
    pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return Number.NaN;
  }
  const stats = new Map(pids.map((pid) => [pid, processStat(pid)]));
  const family = new Set(
    pids.filter((pid) => pid !== String(process.pid) && commandOf(pid).includes(mark)),
  );
  for (let size = -1; size !== family.size;) {
    size = family.size;
    for (const [pid, stat] of stats) if (stat && family.has(stat.parent)) family.add(pid);
  }
  let ticks = 0;
  for (const pid of family) ticks += stats.get(pid)?.ticks ?? 0;
  return ticks / 100;
}
