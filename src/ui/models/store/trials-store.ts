import { create } from 'zustand';
import { messageOf } from '../../../base/errors.ts';
import type { DeviceMeasure, Figure } from '../../../policy/measure/device.ts';
import { deviceReport } from '../../../policy/measure/report.ts';
import type { Agreement } from '../../../policy/model/agreement.ts';
import type { PolicyInfo } from '../../../policy/policy.ts';
import { lab } from '../../lab/connection.ts';
import { useLab } from '../../lab/lab-store.ts';
import { saveFile } from '../../kit/page/save-file.ts';

/** Measurements of the loaded policy: agreement of quantized weights, and speed of the device. */

/** A measurement; the result is stored with its policy, because another may be loaded later. */
type Trial<Progress, Result> =
  | { readonly status: 'none' }
  | { readonly status: 'running'; readonly progress: Progress; readonly abort: AbortController }
  | { readonly status: 'done'; readonly result: Result; readonly policy: PolicyInfo }
  | { readonly status: 'failed'; readonly message: string };

interface TrialsStore {
  /** Compared layers and total; 0 until the first. */
  agreement: Trial<{ done: number; layers: number }, Agreement>;
  /** Numbers so far, and progress from 0 to 1. */
  measure: Trial<{ figures: readonly Figure[]; share: number }, DeviceMeasure>;
}

/** Of this visit; not stored. */
export const useTrials = create<TrialsStore>()(() => ({
  agreement: { status: 'none' },
  measure: { status: 'none' },
}));

/** The final state: empty if it was stopped or the policy has changed. */
async function settled<T>(
  abort: AbortController,
  work: () => Promise<T>,
): Promise<Trial<never, T>> {
  const { policy } = useLab.getState();
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
    useTrials.setState({ agreement: { status: 'running', progress, abort } });
  };
  tell(0, 0);
  const agreement = await settled(abort, () => lab().ask.agreement(tell, abort.signal));
  useTrials.setState({ agreement });
};

/** Measures this device with the loaded policy. */
export const startMeasure = async (): Promise<void> => {
  const abort = new AbortController();
  let progress: { figures: readonly Figure[]; share: number } = { figures: [], share: 0 };
  const tell = (change: Partial<typeof progress>): void => {
    progress = { ...progress, ...change };
    if (!abort.signal.aborted)
      useTrials.setState({ measure: { status: 'running', progress, abort } });
  };
  tell({});
  const onFigure = (figure: Figure): void => tell({ figures: [...progress.figures, figure] });
  const onShare = (share: number): void => tell({ share });
  const measure = await settled(abort, () => lab().ask.measure(onFigure, onShare, abort.signal));
  useTrials.setState({ measure });
};

/** Stops a measurement without a result. */
export const stopTrial = (which: keyof TrialsStore): void => {
  const trial = useTrials.getState()[which];
  if (trial.status === 'running') trial.abort.abort(new Error('it was stopped'));
};

/** Downloads the measurement. */
export const exportMeasure = (now = new Date()): void => {
  const { measure } = useTrials.getState();
  if (measure.status !== 'done') return;
  const { device } = useLab.getState();
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
