import type { WebLlmModel } from '../../../records/setup.ts';
import { WebLlmBackend } from './backend.ts';
import { appConfig, modelLines, type Mirror, type WebLlmLine } from './models.ts';
import { messageOf } from '../../../base/errors.ts';
import { loadWebLlm } from './library.ts';

/**
 * Opens models with the WebLLM library, which is loaded only when it is asked for.
 *
 * The library stays at 0.2.79. Later versions take compiled libraries from other folders (0.2.80: v0_2_80, 0.2.86:
 * v0_2_86/base) and read weights by `tensor-cache.json`: mirrors and folders that users made, with the libraries of
 * v0_2_48 and `ndarray-cache.json`, would no longer load.
 */

/** What is used of a Worker. */
export interface EngineWorker {
  /** The library sets it. */
  onmessage: unknown;
  postMessage(message: unknown): void;
  addEventListener(type: 'error', listener: (event: Event) => void): void;
  terminate(): void;
}

export interface WebLlmOptions {
  custom: readonly WebLlmModel[];
  mirror?: Mirror;
}

async function configOf({ custom, mirror }: WebLlmOptions) {
  const { prebuiltAppConfig, modelLibURLPrefix, modelVersion } = await loadWebLlm();
  return appConfig(prebuiltAppConfig, modelLibURLPrefix + modelVersion, custom, mirror);
}

/** Everything that could be loaded. */
export const listWebLlm = async (options: WebLlmOptions): Promise<WebLlmLine[]> =>
  modelLines(await configOf(options), options.custom);

/** Memory and adapters differ; whether there is a GPU at all is known before anything is fetched. */
export async function webLlmProblem(gpu: GpuLike | undefined): Promise<string | null> {
  if (!gpu)
    return 'WebLLM needs WebGPU, which this browser does not offer. Use a recent Chrome, Edge or Safari, or choose another policy.';
  const adapter = await gpu.requestAdapter().catch(() => null);
  return adapter
    ? null
    : 'WebLLM needs a GPU, and WebGPU finds none here. Check the browser’s graphics settings, or choose another policy.';
}

/** What is asked of `navigator.gpu`. */
interface GpuLike {
  requestAdapter(): Promise<object | null>;
}

/** The library's failures, as text that say what to do next. */
function explained(error: unknown, id: string): Error {
  const words = messageOf(error);
  if (/shader-f16|extension|required feature/i.test(words))
    return new Error(
      `${id} needs a feature that this GPU lacks (${words}). Choose one whose name has q4f32 instead of q4f16.`,
    );
  if (/device was lost|out of memory/i.test(words))
    return new Error(
      `The GPU ran out of memory with ${id} (${words}). Choose a smaller model or a shorter context.`,
    );
  if (/webgpu|adapter/i.test(words))
    return new Error(`WebLLM needs WebGPU, which this browser does not offer (${words}).`);
  if (/fetch|network|404|cache/i.test(words))
    return new Error(
      `The files of ${id} could not be fetched (${words}). Check the connection, or the addresses of the mirror.`,
    );
  return new Error(`WebLLM could not load ${id}: ${words}`);
}

export interface OpenOptions extends WebLlmOptions {
  id: string;
  /** A worker whose module is the library's own handler. */
  worker: EngineWorker;
  onProgress: (progress: { share: number; text: string }) => void;
  /** Ends the worker at any time, and what is under way in it. */
  signal?: AbortSignal;
  /** Settles with the reason when the worker is gone, where no event says so. */
  gone?: Promise<Error>;
  /** Told once the engine is gone without being asked to. */
  onLost?: (reason: Error) => void;
}

/**
 * Loads a model, from the library's cache where it was loaded before.
 * @throws Error in the user's words; the signal's reason where it was aborted, which ends the worker
 */
export async function openWebLlm(options: OpenOptions): Promise<WebLlmBackend> {
  const { id, worker, onProgress, signal } = options;
  const config = await configOf(options);
  const line = modelLines(config, options.custom).find((model) => model.id === id);
  if (!line) throw new Error(`WebLLM's list has no model “${id}”; choose one of the list.`);
  const { WebWorkerMLCEngine } = await loadWebLlm();
  signal?.throwIfAborted();
  const engine = new WebWorkerMLCEngine(worker, {
    appConfig: config,
    initProgressCallback: ({ progress, text }) => onProgress({ share: progress, text }),
  });
  let backend: WebLlmBackend | null = null;
  let over = false;
  const ended = new Promise<never>((_, reject) => {
    /** @returns whether it was not over before */
    const end = (reason: Error): boolean => {
      if (over) return false;
      over = true;
      worker.terminate();
      reject(reason);
      backend?.lost(reason);
      return true;
    };
    const lose = (reason: Error): void => {
      if (end(reason)) options.onLost?.(reason);
    };
    worker.addEventListener('error', (event) => {
      // Else it would continue to our own owner, who would take us for lost.
      event.preventDefault();
      const told = 'message' in event && typeof event.message === 'string' ? event.message : '';
      lose(new Error(`The worker of WebLLM ended${told ? ` (${told})` : ''}; load it again.`));
    });
    void options.gone?.then(lose);
    signal?.addEventListener('abort', () => {
      end(signal.reason instanceof Error ? signal.reason : new Error('cancelled'));
    });
  });
  ended.catch(() => undefined);
  try {
    await Promise.race([engine.reload(id), ended]);
  } catch (error) {
    signal?.throwIfAborted();
    // Told as it was to the caller; what the library throws is put into words.
    if (over) throw error;
    over = true;
    worker.terminate();
    throw explained(error, id);
  }
  backend = new WebLlmBackend(engine, { id, maxContext: line.maxContext }, () => {
    over = true;
    worker.terminate();
  });
  return backend;
}
