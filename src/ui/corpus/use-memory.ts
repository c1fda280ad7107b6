import { useEffect, useState } from 'react';

/** Memory use of the page, as far as the browser reports it. */
export type Memory =
  | { kind: 'measured'; bytes: number }
  /** Only the JavaScript heap of the page, without workers. */
  | { kind: 'heap'; bytes: number }
  | { kind: 'unknown' };

/** Not in TypeScript's DOM library. */
interface MemoryPerformance {
  measureUserAgentSpecificMemory?: () => Promise<{ bytes: number }>;
  memory?: { usedJSHeapSize: number };
}

const heap = (): Memory => {
  const { memory } = performance as MemoryPerformance;
  return memory ? { kind: 'heap', bytes: memory.usedJSHeapSize } : { kind: 'unknown' };
};

/** The page and its workers, if the browser supports it; may take a while. */
async function measureMemory(): Promise<Memory> {
  // Refused unless the page is cross-origin isolated.
  const { measureUserAgentSpecificMemory } = performance as MemoryPerformance;
  if (!globalThis.crossOriginIsolated || !measureUserAgentSpecificMemory) return heap();
  const { bytes } = await measureUserAgentSpecificMemory.call(performance);
  return { kind: 'measured', bytes };
}

/** Interval between measurements. Browsers delay them on purpose. */
const EVERY_MS = 5000;

/** Measured once, and repeatedly while `often`; before the first result, what is known at once. */
export const useMemory = (often: boolean): Memory => {
  const [memory, setMemory] = useState<Memory>(heap);
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
