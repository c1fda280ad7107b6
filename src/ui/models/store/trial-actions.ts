import { messageOf } from '../../../base/errors.ts';
import type { Figure } from '../../../policy/measure/device.ts';
import { deviceReport } from '../../../policy/measure/report.ts';
import { lab } from '../../lab/connection.ts';
import { useSession } from '../../kit/session-store.ts';
import { saveFile } from '../../kit/page/save-file.ts';
import { useModels, type Trial, type TrialsSlice } from './models-store.ts';

/** Measurements of the loaded policy: agreement of quantized weights, and speed of the device. */

/** The final state: empty if it was stopped or the policy has changed. */
async function settled<T>(
  abort: AbortController,
  work: () => Promise<T>,
): Promise<Trial<never, T>> {
  const { policy } = useSession.getState();
  if (!policy) return { status: 'failed', message: 'No model is loaded yet.' };
  try {
    return { status: 'done', result: await work(), policy };
  } catch (error) {
    return abort.signal.aborted
      ? { status: 'none' }
      : { status: 'failed', message: messageOf(error) };
  }
}

/** Compares quantized weights with the checkpoint on the same tokens; shown, not stored. */
export const startAgreement = async (): Promise<void> => {
  const abort = new AbortController();
  const tell = (done: number, layers: number): void => {
    if (abort.signal.aborted) return;
    const progress = { done, layers };
    useModels.setState({ agreement: { status: 'running', progress, abort } });
  };
  tell(0, 0);
  const agreement = await settled(abort, () => lab().ask.agreement(tell, abort.signal));
  useModels.setState({ agreement });
};

/** Measures this device with the loaded policy. */
export const startMeasure = async (): Promise<void> => {
  const abort = new AbortController();
  let progress: { figures: readonly Figure[]; share: number } = { figures: [], share: 0 };
  const tell = (change: Partial<typeof progress>): void => {
    progress = { ...progress, ...change };
    if (!abort.signal.aborted)
      useModels.setState({ measure: { status: 'running', progress, abort } });
  };
  tell({});
  const onFigure = (figure: Figure): void => tell({ figures: [...progress.figures, figure] });
  const onShare = (share: number): void => tell({ share });
  const measure = await settled(abort, () => lab().ask.measure(onFigure, onShare, abort.signal));
  useModels.setState({ measure });
};

/** Stops a measurement without a result. */
export const stopTrial = (which: keyof TrialsSlice): void => {
  const trial = useModels.getState()[which];
  if (trial.status === 'running') trial.abort.abort(new Error('it was stopped'));
};

/** Downloads the measurement. */
export const exportMeasure = (now = new Date()): void => {
  const { measure } = useModels.getState();
  if (measure.status !== 'done') return;
  const { device } = useSession.getState();
  const report = deviceReport(measure.result, {
    now,
    policy: measure.policy,
    adapter: device?.adapter ?? '',
    versions: {
      forage: String(import.meta.env['VITE_VERSION'] ?? ''),
      platform: navigator.userAgent,
    },
  });
  saveFile(
    `forage-device-${report.measuredAt.slice(0, 10)}.json`,
    new Blob([`${JSON.stringify(report, null, 2)}\n`], { type: 'application/json' }),
  );
};
