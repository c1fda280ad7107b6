import {
  BOX_OPEN,
  HINTS,
  inBlock,
  renderBoxed,
  renderPassages,
  type FurtherToken,
  type SpecialToken,
} from '../../records/protocol.ts';
import type { Passage } from '../../records/records.ts';
import { formLine, type Form, type FormBlock } from '../../records/form-line.ts';
import type { SegmentRole, TokenSource } from '../../records/rollout.ts';

/** A run of text with one writer, as it is in the policy's context. */
export interface TrajectorySegment {
  source: TokenSource;
  role: SegmentRole;
  /** Between the tags, exactly as encoded (with its leading space). */
  text: string;
  open?: SpecialToken | FurtherToken;
  close?: SpecialToken | FurtherToken;
  /** Written by the policy, but a mistake that the loss must not teach. */
  mistake?: true;
}

export interface Trajectory {
  segments: TrajectorySegment[];
  /** What it shows, e.g. `gold` or `miss`; several joined by `+`. */
  kind: string;
  hops: number;
  composition: string;
}

/** The part of a tokenizer that trajectories need. */
export interface TextTokenizer {
  encodeText(text: string): number[];
  specialId(token: string): number | undefined;
}

export interface TokenizedTrajectory {
  ids: number[];
  /** 1 exactly where the policy wrote the token and the loss should teach it. */
  mask: (0 | 1)[];
}

/** @throws Error where the tokenizer lacks one of the protocol's tags */
export const tokenizeTrajectory = (
  tokenizer: TextTokenizer,
  trajectory: Pick<Trajectory, 'segments'>,
): TokenizedTrajectory => {
  const ids: number[] = [];
  const mask: (0 | 1)[] = [];
  const special = (token: SpecialToken | FurtherToken): number => {
    const id = tokenizer.specialId(token);
    if (id === undefined) throw new Error(`the tokenizer has no ${token}`);
    return id;
  };
  for (const s of trajectory.segments) {
    if (s.open) ids.push(special(s.open));
    for (const id of tokenizer.encodeText(s.text)) ids.push(id);
    if (s.close) ids.push(special(s.close));
    const taught = s.source === 'policy' && !s.mistake ? 1 : 0;
    while (mask.length < ids.length) mask.push(taught);
  }
  return { ids, mask };
};

const CLOSING = {
  '<background>': '</background>',
  '<question>': '</question>',
  '<think>': '</think>',
  '<search>': '</search>',
  '<result>': '</result>',
  '<local_search>': '</local_search>',
  '<web_search>': '</web_search>',
  '<form>': '</form>',
  '<reply>': '</reply>',
  '<plan>': '</plan>',
  '<refine>': '</refine>',
  '<judge>': '</judge>',
  '<relevance>': '</relevance>',
  '<important>': '</important>',
  '<memory>': '</memory>',
  '<summary>': '</summary>',
  '<evidence>': '</evidence>',
  '<compute>': '</compute>',
  '<ask>': '</ask>',
  '<hint>': '</hint>',
  '<short_answer>': '</short_answer>',
  '<long_answer>': '</long_answer>',
} as const satisfies Partial<Record<SpecialToken | FurtherToken, SpecialToken | FurtherToken>>;

/** Builds the segments of one trajectory in order. */
export class TrajectoryWriter {
  readonly segments: TrajectorySegment[] = [];

  background(passages: readonly Passage[]): void {
    this.add('environment', 'background', renderPassages(passages), '<background>');
  }
  question(text: string): void {
    this.add('prompt', 'question', inBlock(text), '<question>');
  }
  think(text: string, mistake = false): void {
    this.add('policy', 'think', inBlock(text), '<think>', mistake);
  }
  search(query: string, mistake = false, source?: 'local' | 'web'): void {
    const tag = source ? (`<${source}_search>` as const) : '<search>';
    this.add('policy', 'search', query === '' ? '' : inBlock(query), tag, mistake);
  }
  result(passages: readonly Passage[]): void {
    this.add('environment', 'result', renderPassages(passages), '<result>');
  }
  /** A result that is not a list of passages. */
  told(text: string): void {
    this.add('environment', 'result', inBlock(text), '<result>');
  }
  hint(which: keyof typeof HINTS): void {
    this.add('environment', 'hint', inBlock(HINTS[which]), '<hint>');
  }
  form(form: Form): void {
    this.add('prompt', 'instruction', inBlock(formLine(form)), '<form>');
  }
  block(kind: FormBlock, text: string): void {
    this.add('policy', 'other', inBlock(text), `<${kind}>`);
  }
  reply(text: string): void {
    this.add('environment', 'result', inBlock(text), '<reply>');
  }
  shortAnswer(answer: string): void {
    this.add('policy', 'answer', renderBoxed(answer), '<short_answer>');
    this.end();
  }
  longAnswer(text: string, answer: string): void {
    this.add('policy', 'answer', inBlock(text) + renderBoxed(answer), '<long_answer>');
    this.end();
  }
  /** The environment opens the answer; the policy fills in and closes it. */
  forcedAnswer(answer: string): void {
    this.segments.push(
      { source: 'environment', role: 'answer', text: BOX_OPEN, open: '<short_answer>' },
      {
        source: 'policy',
        role: 'answer',
        text: renderBoxed(answer).slice(BOX_OPEN.length),
        close: '</short_answer>',
      },
    );
    this.end();
  }

  private add(
    source: TokenSource,
    role: SegmentRole,
    text: string,
    open: keyof typeof CLOSING,
    mistake = false,
  ): void {
    const close = CLOSING[open];
    this.segments.push({
      source,
      role,
      text,
      open,
      close,
      ...(mistake && { mistake: true as const }),
    });
  }
  private end(): void {
    this.segments.push({ source: 'policy', role: 'other', text: '', close: '<|endoftext|>' });
  }
}
