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

const heap = (): Memory => {
  const { memory } = performance as MemoryPerformance;
  return memory ? { kind: 'heap', bytes: memory.usedJSHeapSize } : { kind: 'unknown' };
};

/** Over the page and its workers where the browser can; it may take a while. */
async function measureMemory(): Promise<Memory> {
  // The call is refused where the page is not isolated from other origins.
  const { measureUserAgentSpecificMemory } = performance as MemoryPerformance;
  if (!globalThis.crossOriginIsolated || !measureUserAgentSpecificMemory) return heap();
  const { bytes } = await measureUserAgentSpecificMemory.call(performance);
  return { kind: 'measured', bytes };
}

/** Between two measurements. Browsers take their time for one, and delay it on purpose. */
const EVERY_MS = 5000;

/** Measured now, and again and again while `often`; until the first is there, what is known at once. */
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
