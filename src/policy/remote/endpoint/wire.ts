import { z } from 'zod';

/**
 * The parts of the OpenAI API's answers that are read, after its public description; servers add
 * fields and leave out others. `logprobs` has one shape in chat and another in completions.
 */

const number = z.number();

const chatLogprobs = z.object({
  content: z
    .array(
      z.object({
        token: z.string(),
        logprob: number,
        top_logprobs: z.array(z.object({ token: z.string(), logprob: number })).nullish(),
      }),
    )
    .nullish(),
});

const textLogprobs = z.object({
  tokens: z.array(z.string()).nullish(),
  token_logprobs: z.array(number.nullable()).nullish(),
});

const finish = z.string().nullish();

const chatChoice = z.object({
  delta: z.object({ content: z.string().nullish() }).nullish(),
  logprobs: chatLogprobs.nullish(),
  finish_reason: finish,
});

const textChoice = z.object({
  text: z.string().nullish(),
  // llama.cpp gives completions the shape of chat.
  logprobs: z.union([chatLogprobs.required(), textLogprobs]).nullish(),
  finish_reason: finish,
});

export const chatChunk = z.object({ choices: z.array(chatChoice) });
export const textChunk = z.object({ choices: z.array(textChoice) });

export const chatAnswer = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string().nullish() }) })).min(1),
  // What a server counts is not a part of the answer: one that counts otherwise has answered still.
  usage: z
    .object({ prompt_tokens: z.int().min(0), completion_tokens: z.int().min(0) })
    .nullish()
    .catch(null),
});

export const modelList = z.object({ data: z.array(z.object({ id: z.string() })) });

/** One piece of the text that streams in. */
export interface Piece {
  text: string;
  /** Natural logarithm, as the server defines it; absent where not given. */
  logprob?: number;
  top?: { text: string; logprob: number }[];
}

const finite = (value: number | null | undefined): value is number =>
  typeof value === 'number' && Number.isFinite(value);

function chatPieces(logprobs: z.infer<typeof chatLogprobs>): Piece[] {
  return (logprobs.content ?? []).map(({ token, logprob, top_logprobs: top }) => ({
    text: token,
    ...(finite(logprob) && { logprob }),
    ...(top && {
      top: top
        .filter((entry) => finite(entry.logprob))
        .map((entry) => ({ text: entry.token, logprob: entry.logprob })),
    }),
  }));
}

const textPieces = ({ tokens, token_logprobs: values }: z.infer<typeof textLogprobs>): Piece[] =>
  (tokens ?? []).map((text, i) => {
    const logprob = values?.[i];
    return { text, ...(finite(logprob) && { logprob }) };
  });

/** Tokens with their log-probabilities where they spell exactly the text; else the text as one piece. */
function spelt(text: string, pieces: Piece[]): Piece[] {
  if (text === '') return [];
  return pieces.map((piece) => piece.text).join('') === text ? pieces : [{ text }];
}

export interface Delta {
  pieces: Piece[];
  finish: string | null;
}

export function chatDelta(chunk: z.infer<typeof chatChunk>): Delta {
  const choice = chunk.choices[0];
  const text = choice?.delta?.content ?? '';
  return {
    pieces: spelt(text, choice?.logprobs ? chatPieces(choice.logprobs) : []),
    finish: choice?.finish_reason ?? null,
  };
}

export function textDelta(chunk: z.infer<typeof textChunk>): Delta {
  const choice = chunk.choices[0];
  const logprobs = choice?.logprobs;
  const pieces = !logprobs
    ? []
    : 'content' in logprobs
      ? chatPieces(logprobs)
      : textPieces(logprobs);
  return { pieces: spelt(choice?.text ?? '', pieces), finish: choice?.finish_reason ?? null };
}
