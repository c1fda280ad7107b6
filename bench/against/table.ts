import type { Agreement } from './engine.ts';

/** The measurements of one engine. */
export interface EngineResult {
  readonly engine: string;
  /** What it holds the model in. */
  readonly held: string;
  /** By number of slots. */
  readonly rates: readonly SlotRates[];
  /** Of a LoRA step; null for the engine that does not train. */
  readonly step: Rate | null;
  /** Null for the engine that the others are compared with. */
  readonly agreement: Agreement | null;
}

/** Tokens per second: by the clock, and of processor time, which load on the machine changes less. */
export interface Rate {
  readonly clock: number;
  /** Null where the system does not tell processor time. */
  readonly cpu: number | null;
}

/** Of all slots together. */
export interface SlotRates {
  readonly slots: number;
  readonly prefill: Rate;
  readonly decode: Rate;
}

/** Three figures of a rate. */
const rate = (value: number): string =>
  value < 100 ? String(Number(value.toPrecision(3))) : value.toFixed(0);

/** Lines of a table: the peer, then each engine with its rates as multiples of the peer's. */
export function comparisonTable(
  peer: EngineResult,
  ours: readonly EngineResult[],
  by: keyof Rate = 'clock',
): string[] {
  const [first] = peer.rates;
  if (!first) throw new Error('bench: nothing was measured');
  const columns: ((r: EngineResult) => number)[] = [
    ({ rates }) => rates[0]?.prefill[by] ?? NaN,
    ...peer.rates.map(
      (_, i): ((r: EngineResult) => number) =>
        ({ rates }) =>
          rates[i]?.decode[by] ?? NaN,
    ),
  ];
  const count = (slots: number): string => `${slots} ${slots === 1 ? 'slot' : 'slots'}`;
  const head = [
    by === 'clock' ? 'tokens/s' : 'tokens per CPU second',
    `prefill, ${count(first.slots)}`,
    ...peer.rates.map(({ slots }) => `decode, ${count(slots)}`),
    'LoRA step',
    'same greedy token',
  ];
  const rowOf = (result: EngineResult): string[] => {
    const { agreement } = result;
    return [
      result.engine,
      ...columns.map((of) =>
        result === peer
          ? rate(of(peer))
          : `${rate(of(result))} (${(of(result) / of(peer)).toFixed(2)} ×)`,
      ),
      result.step ? rate(result.step[by] ?? NaN) : '',
      agreement ? `${agreement.equal} of ${agreement.tokens}` : '',
    ];
  };
  const rows = [head, rowOf(peer), ...ours.map(rowOf)];
  const widths = head.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}
