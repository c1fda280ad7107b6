import type { SegmentRole, TokenSource } from '../data/rollout.ts';
import type { Generated, PolicySession, SampledTokens, Sampling } from '../policy/policy.ts';
import { ProtocolParser, type Parsed } from './parse.ts';
import { roleOf, type BlockKind } from './tags.ts';
import type { Transcript } from './transcript.ts';

/** One parsed step of the policy and the segment that it stands in. */
export interface Placed {
  parsed: Parsed;
  segment: number;
}

export interface SampleOptions {
  maxTokens: number;
  stopIds: readonly number[];
  sampling: Sampling;
  signal?: AbortSignal;
}

/**
 * The policy's context and the transcript as one: whatever enters the one enters the other, so that
 * the segments' ids joined are exactly the context. Sampled tokens pass through the parser.
 */
export class Conversation {
  /** Tokens sampled so far. */
  sampled = 0;

  constructor(
    readonly session: PolicySession,
    private readonly transcript: Transcript,
    readonly parser: ProtocolParser,
  ) {}

  /** Writes tokens that were not sampled here. */
  write(source: TokenSource, role: SegmentRole, ids: readonly number[]): number {
    this.session.append(ids);
    return this.transcript.add(source, role, ids);
  }

  /** Writes as the environment, after which the policy has to think anew. */
  answerBack(role: SegmentRole, ids: readonly number[]): number {
    const index = this.write('environment', role, ids);
    this.parser.environmentSpoke();
    return index;
  }

  /** Closes the block that the policy left open, in its place. */
  closeOpenBlock(closingTag: (kind: BlockKind) => number): void {
    const kind = this.parser.open;
    if (!kind) return;
    this.write('environment', roleOf(kind), [closingTag(kind)]);
    this.parser.closedByEnvironment(kind);
  }

  /**
   * Samples until a stop id or a limit.
   * @param onParsed called in order, while the tokens arrive
   */
  async sample(options: SampleOptions, onParsed: (placed: Placed) => void): Promise<Generated> {
    let taken = 0;
    let open = true;
    const take = (added: SampledTokens): void => {
      // A worker's last messages may come in behind its reply, which holds all tokens.
      if (!open) return;
      taken += added.ids.length;
      this.#take(added, onParsed);
    };
    const { signal, ...rest } = options;
    const generated = await this.session.generate({
      ...rest,
      ...(signal ? { signal } : {}),
      onTokens: take,
    });
    const behind = taken;
    take({
      ids: generated.ids.slice(behind),
      logprobs: generated.logprobs.slice(behind),
      entropies: generated.entropies.slice(behind),
    });
    open = false;
    return generated;
  }

  #take(added: SampledTokens, onParsed: (placed: Placed) => void): void {
    added.ids.forEach((id, i) => {
      const step = this.parser.feed(id);
      if (step.starts) {
        this.transcript.beginSampled(step.starts === 'other' ? 'other' : roleOf(step.starts));
      }
      this.transcript.push(id, added.logprobs[i] ?? 0, added.entropies[i] ?? 0);
      this.sampled += 1;
      const segment = this.transcript.lastSegment;
      if (step.ends) this.transcript.endSegment();
      for (const parsed of step.parsed) {
        // A tag inside a block closes that block and begins the next segment.
        const before = parsed.type === 'closed' && step.starts !== null && segment > 0;
        onParsed({ parsed, segment: before && !step.ends ? segment - 1 : segment });
      }
    });
    this.transcript.flush();
  }
}
