import { Button } from '@mantine/core';
import type { Figure } from '../../policy/measure/device.ts';
import { figureWords } from '../../policy/measure/report.ts';
import { Table } from '../kit/Table.tsx';
import { formatShare } from '../kit/words/format.ts';
import { TimeLeft } from '../kit/words/TimeLeft.tsx';
import { useSession } from '../kit/session-store.ts';
import { exportMeasure, startMeasure, stopTrial } from './store/trial-actions.ts';
import { useModels } from './store/models-store.ts';

/** Measured numbers, with the share of the device's limit. */
const Figures = ({ figures, unit }: { figures: readonly Figure[]; unit: 'rate' | 'time' }) => (
  <Table
    className="plain-table measure-table"
    heads={[['what'], [unit, 'figure'], ['share', 'figure']]}
  >
    {figures.map((figure) => {
      const { name, value, share } = figureWords(figure);
      return (
        <tr key={`${name} ${share}`}>
          <th scope="row">{name}</th>
          <td className="figure">{value}</td>
          <td className="figure">{share}</td>
        </tr>
      );
    })}
  </Table>
);

const INTRO =
  'Measures this device’s memory bandwidth and matrix throughput, and the share of each that decoding and training reach with the loaded model (MBU, MFU; above 100 % for cached data). Takes under a minute with the built-in model.';

const isKernel = ({ kind }: Figure): boolean => kind === 'kernel';

/** Browsers round clocks, usually to 0.1 ms. */
const Kernels = ({ figures }: { figures: readonly Figure[] }) =>
  figures.length === 0 ? null : (
    <>
      <h3>Slowest kernels</h3>
      <Figures figures={figures} unit="time" />
    </>
  );

/** Rates of this device, and how much the loaded policy reaches. */
export const MeasureSection = () => {
  const trial = useModels((state) => state.measure);
  // A server’s policy computes nothing here.
  const loaded = useSession(({ policy, device }) => policy !== null && device?.device !== 'server');
  const running = trial.status === 'running';
  const figures = running
    ? trial.progress.figures
    : trial.status === 'done'
      ? trial.result.figures
      : [];
  const [kernels, rates] = [figures.filter(isKernel), figures.filter((one) => !isKernel(one))];
  return (
    <section className="measure" aria-labelledby="measure">
      <h2 id="measure">Measure this device</h2>
      <p className="fine">{INTRO}</p>
      {rates.length > 0 ? <Figures figures={rates} unit="rate" /> : null}
      <Kernels figures={kernels} />
      {trial.status === 'failed' ? (
        <p className="tone-bad" role="alert">
          ⚠ {trial.message}
        </p>
      ) : null}
      <div className="trial-line">
        {running ? (
          <>
            <span>
              Measuring, {formatShare(trial.progress.share)}
              <TimeLeft of="measure" share={trial.progress.share} />{' '}
              <progress
                className="bar thin"
                aria-label="Measured"
                max={1}
                value={trial.progress.share}
              />
            </span>
            <Button size="xs" variant="default" onClick={() => stopTrial('measure')}>
              Stop
            </Button>
          </>
        ) : (
          <Button size="xs" disabled={!loaded} onClick={() => void startMeasure()}>
            {trial.status === 'done' ? 'Measure again' : 'Measure'}
          </Button>
        )}
        {trial.status === 'done' ? (
          <>
            <Button size="xs" variant="default" onClick={() => exportMeasure()}>
              Export as JSON
            </Button>
            <span className="fine">
              with {trial.policy.id} on {trial.result.device}
            </span>
          </>
        ) : null}
      </div>
    </section>
  );
};
