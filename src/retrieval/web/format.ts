import { z } from 'zod';
import { fnv1a } from '../../base/hash.ts';

/**
 * The static web index, `forage.web/1`: `web/index.json` (below), `web/lengths.bin`,
 * `web/terms-N.bin` (postings of the terms whose hash falls on N) and `web/passages-N.bin`
 * (`passagesPerShard` passages in document order). Documents are numbered in order of passage id.
 */
export const WEB_FORMAT = 'forage.web/1';

export const webHeaderSchema = z.object({
  format: z.literal(WEB_FORMAT),
  documents: z.number().int().nonnegative(),
  /** Mean of the document lengths, in terms, the title counted `titleWeight` times. */
  averageLength: z.number().nonnegative(),
  titleWeight: z.number().int().positive(),
  termShards: z.number().int().positive(),
  passagesPerShard: z.number().int().positive(),
});

export type WebHeader = z.infer<typeof webHeaderSchema>;

export const WEB_HEADER_FILE = 'web/index.json';
export const LENGTHS_FILE = 'web/lengths.bin';
export const termShardFile = (shard: number): string => `web/terms-${shard}.bin`;
export const passageShardFile = (shard: number): string => `web/passages-${shard}.bin`;

/** Shard of a term: FNV-1a (32 bit) of its UTF-16 code units, modulo the number of shards. */
export const termShard = (term: string, shards: number): number => (fnv1a(term) >>> 0) % shards;
