import type { LoraReport } from './worker.ts';

/** Runs the worker once and shows what it reports. */
const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
const show = (report: LoraReport | { error: string }): void => {
  const out = document.createElement('output');
  out.textContent = JSON.stringify(report);
  document.body.append(out);
};
worker.addEventListener('message', ({ data }: MessageEvent<LoraReport | { error: string }>) =>
  show(data),
);
worker.addEventListener('error', ({ message }) => show({ error: message }));
