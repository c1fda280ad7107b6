import { useEffect, useState } from 'react';

/** What the page uses of memory, as far as the browser tells. */
export type Memory =
  | { kind: 'measured'; bytes: number }
  /** The heap of the page alone, without its workers. */
  | { kind: 'heap'; bytes: number }
  | { kind: 'unknown' };

/** Not in TypeScript's DOM library. */
interface MemoryPerformance {
  measureUserAgentSpecificMemory?: () => Promise<{ bytes: number }>;
  memory?: { usedJSHeapSize: number };
}

export async function measureMemory(): Promise<Memory> {
  const { measureUserAgentSpecificMemory, memory } = performance as MemoryPerformance;
  if (globalThis.crossOriginIsolated && measureUserAgentSpecificMemory) {
    const { bytes } = await measureUserAgentSpecificMemory.call(performance);
    return { kind: 'measured', bytes };
  }
  return memory ? { kind: 'heap', bytes: memory.usedJSHeapSize } : { kind: 'unknown' };
}

const EVERY_MS = 5000;

/** Measured now, and again and again while `often`. The browser may take some seconds for one. */
export const useMemory = (often: boolean): Memory | null => {
  const [memory, setMemory] = useState<Memory | null>(null);
  useEffect(() => {
    let live = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const measure = async () => {
      const now = await measureMemory().catch((): Memory => ({ kind: 'unknown' }));
      if (!live) return;
      setMemory(now);
      if (often) timer = setTimeout(() => void measure(), EVERY_MS);
    };
    void measure();
    return () => {
      live = false;
      clearTimeout(timer);
    };
  }, [often]);
  return memory;
};
