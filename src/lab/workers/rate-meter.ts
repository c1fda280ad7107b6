/** Tokens per second over the last seconds. */
export interface RateMeter {
  readonly total: number;
  add(count: number): void;
  perSecond(): number;
}

export const createRateMeter = (now: () => number, windowMs = 2000): RateMeter => {
  let marks: { t: number; count: number }[] = [];
  let total = 0;
  const start = now();
  return {
    get total() {
      return total;
    },
    add(count) {
      total += count;
      marks.push({ t: now(), count });
    },
    perSecond() {
      const t = now();
      marks = marks.filter((mark) => t - mark.t <= windowMs);
      const span = Math.min(windowMs, Math.max(1, t - start));
      return (marks.reduce((sum, mark) => sum + mark.count, 0) / span) * 1000;
    },
  };
};
