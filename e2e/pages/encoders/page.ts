import type { EncodersReport } from './worker.ts';

/** Runs the worker once and shows what it reports. */
const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
const show = (report: EncodersReport | { error: string }): void => {
  const out = document.createElement('output');
  out.textContent = JSON.stringify(report);
  document.body.append(out);
};
worker.addEventListener('message', ({ data }: MessageEvent<EncodersReport | { error: string }>) =>
  show(data),
);
worker.addEventListener('error', ({ message }) => show({ error: message }));
