import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Tokens with their log-probabilities. */
export interface Scored {
  ids: number[];
  logprobs: number[];
}

interface NextToken {
  next: { logits?: Map<number, number> };
}

/** What is used of node-llama-cpp, which is no dependency of Forage. */
interface NodeLlamaCpp {
  getLlama: (options: object) => Promise<{
    loadModel(options: object): Promise<{
      createContext(options: object): Promise<{
        getSequence(): {
          controlledEvaluate(input: unknown[]): Promise<(NextToken | undefined)[]>;
        };
      }>;
      dispose(): Promise<void>;
    }>;
    dispose(): Promise<void>;
  }>;
}

const EXACT = {
  contextSize: 512,
  flashAttention: false,
  experimentalKvCacheKeyType: 'F32',
  experimentalKvCacheValueType: 'F32',
};

/** The likeliest token and the log-probability of `id`. */
function scoreOf(logits: Map<number, number>, id: number): { likeliest: number; logprob: number } {
  let [likeliest, most] = [-1, -Infinity];
  for (const [token, logit] of logits) if (logit > most) [likeliest, most] = [token, logit];
  let sum = 0;
  for (const logit of logits.values()) sum += Math.exp(logit - most);
  return { likeliest, logprob: (logits.get(id) ?? NaN) - most - Math.log(sum) };
}

/**
 * Native llama.cpp over a prompt and the tokens after it: at each place the token that it finds likeliest, and the
 * log-probability of the token that is there.
 * @param installed folder with node-llama-cpp
 */
export async function scoreWithLlamaCpp(
  installed: string,
  modelPath: string,
  lora: string | null,
  { prompt, ids }: { prompt: readonly number[]; ids: readonly number[] },
): Promise<Scored> {
  const entry = createRequire(join(installed, 'package.json')).resolve('node-llama-cpp');
  const { getLlama } = (await import(pathToFileURL(entry).href)) as NodeLlamaCpp;
  const llama = await getLlama({ gpu: false, build: 'never', logLevel: 'error' });
  try {
    const model = await llama.loadModel({ modelPath });
    const adapters = lora === null ? {} : { lora: { adapters: [{ filePath: lora, scale: 1 }] } };
    const context = await model.createContext({ ...EXACT, ...adapters });
    const first = prompt.length - 1;
    const all = [...prompt, ...ids].slice(0, -1);
    const input = all.map((token, i) =>
      i < first ? token : [token, { generateNext: { logits: true } }],
    );
    const output = await context.getSequence().controlledEvaluate(input);
    const scores = ids.map((id, i) => scoreOf(output[first + i]?.next.logits ?? new Map(), id));
    return {
      ids: scores.map(({ likeliest }) => likeliest),
      logprobs: scores.map(({ logprob }) => logprob),
    };
  } finally {
    await llama.dispose();
  }
}
