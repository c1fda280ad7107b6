import { keepsFiles } from '../storage/files-of-site.ts';
import { storageUse } from '../storage/quota.ts';
import type { ActiveRun } from './active-run.ts';
import type { TrainMessage } from '../contract/training.ts';

/** Progress is sent this often at most, ms. */
const PROGRESS_MS = 200;

/** Sends what happens to the page of this tab, and to the pages of other tabs. */
export class RunReporter {
  readonly #channel: BroadcastChannel;
  #listener: (messages: TrainMessage[]) => void = () => undefined;
  #sentAt = 0;

  constructor(channel: BroadcastChannel) {
    this.#channel = channel;
    // What another tab trains is shown here too.
    channel.addEventListener('message', ({ data }: MessageEvent<TrainMessage[]>) =>
      this.#listener(data),
    );
  }

  listen(listener: (messages: TrainMessage[]) => void): void {
    this.#listener = listener;
  }

  send(messages: TrainMessage[]): void {
    this.#listener(messages);
    this.#channel.postMessage(messages);
  }

  /** @param now even where progress was sent just before */
  progress(active: ActiveRun, now: boolean): void {
    if (!now && Date.now() - this.#sentAt < PROGRESS_MS) return;
    this.#sentAt = Date.now();
    this.send([{ type: 'progress', progress: active.progress('running') }]);
  }

  /** To this tab alone. @param runId the run that it trains */
  here(runId: string | null): void {
    this.#listener([{ type: 'here', runId }]);
  }

  /** To this tab alone. @param sweepId the sweep that it works through */
  sweep(sweepId: string | null): void {
    this.#listener([{ type: 'sweep', sweepId }]);
  }

  /** To this tab alone: the others measure their own. Nothing where the browser does not say. */
  async storage(): Promise<void> {
    if (!keepsFiles()) return;
    this.#listener([{ type: 'storage', ...(await storageUse()) }]);
  }
}
