import type { DownloadKind } from '../../../lab/contract/training.ts';
import { createAttempt } from '../../kit/attempt.ts';
import { saveFile } from '../../kit/page/save-file.ts';
import { trainApi, useTrain, type TrainState } from './train-store.ts';

const attempt = createAttempt((problem) => useTrain.setState({ problem }));

const change = (changed: Partial<NonNullable<TrainState['download']>>): void =>
  useTrain.setState(({ download }) => ({ download: download && { ...download, ...changed } }));

/** Makes the files of a run and hands them to the browser. One download is made at a time. */
export async function downloadOf(run: string, what: DownloadKind): Promise<void> {
  if (useTrain.getState().download) return;
  useTrain.setState({ download: { run, what, done: 0, total: 0, cancelling: false } });
  const files = await attempt('The download was not made', () =>
    trainApi().download(run, what, (done, total) => change({ done, total })),
  );
  useTrain.setState({ download: null });
  for (const { name, blob } of files ?? []) saveFile(name, blob);
}

/** Stops the download that is being made; nothing is saved of it. */
export async function cancelDownload(): Promise<void> {
  change({ cancelling: true });
  await attempt('It could not be stopped', () => trainApi().cancelDownload());
}
