import { itemAt } from '../../base/items.ts';
import { CURSOR_START, type Batch, type BatchPlan, type Cursor } from './batches.ts';

/** Where batches come from. */
export interface BatchSource {
  batch(from: Cursor, plan: BatchPlan): Batch | Promise<Batch>;
}

/** Seeds of two streams lie this far apart. */
const STREAM_SEEDS = 1_000_003;

/** The seed of a stream's data; the first one's is the run's. */
export const streamSeed = (seed: number, stream: number): number => seed + STREAM_SEEDS * stream;

/** Takes an equal share of every batch from each of several sources, which work side by side. */
export class Streams implements BatchSource {
  readonly #sources: readonly BatchSource[];

  constructor(sources: readonly BatchSource[]) {
    this.#sources = sources;
  }

  /** @throws Error where the data is in another number of streams */
  async batch(from: Cursor, plan: BatchPlan): Promise<Batch> {
    const sources = this.#sources;
    const cursors = from.streams ?? sources.map(() => from);
    if (cursors.length !== sources.length)
      throw new Error(
        `pre-training: the state has ${cursors.length} data streams, and ${sources.length} were started`,
      );
    const share = { ...plan, tokens: plan.tokens / sources.length };
    const batches = await Promise.all(
      sources.map(async (source, i) => source.batch(itemAt(cursors, i, 'streams'), share)),
    );
    return {
      examples: batches.flatMap(({ examples }) => examples),
      tokens: batches.reduce((sum, { tokens }) => sum + tokens, 0),
      cursor: { ...CURSOR_START, streams: batches.map(({ cursor }) => cursor) },
    };
  }
}
