import { storageUse } from '../storage/quota.ts';
import type { ActiveRun } from './active-run.ts';
import type { TrainMessage } from '../contract/training.ts';

/** How often progress is told at most. */
const TELL_MS = 200;

/** Tells the page of this tab what happens, and the same page in other tabs. */
export class Teller {
  readonly #channel: BroadcastChannel;
  #listener: (messages: TrainMessage[]) => void = () => undefined;
  #told = 0;

  constructor(channel: BroadcastChannel) {
    this.#channel = channel;
    // What another tab trains is shown here too; it is told the same messages.
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

  /** @param now whether it is told even where progress was told just before */
  progress(active: ActiveRun, now: boolean): void {
    if (!now && Date.now() - this.#told < TELL_MS) return;
    this.#told = Date.now();
    this.send([{ type: 'progress', progress: active.progress('running') }]);
  }

  /** To this tab alone. @param runId the run that it trains */
  here(runId: string | null): void {
    this.#listener([{ type: 'here', runId }]);
  }

  /** Of this tab alone: the others ask for themselves. */
  async storage(): Promise<void> {
    this.#listener([{ type: 'storage', ...(await storageUse()) }]);
  }
}
