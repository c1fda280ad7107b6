import { expect, it, vi } from 'vitest';
import { Guarded } from '../../../../src/ui/kit/page/Guarded.tsx';
import { onDemand } from '../../../../src/ui/kit/page/on-demand.tsx';
import { htmlOf } from '../render.tsx';

const Greeting = ({ name }: { name: string }) => <p>Good day, {name}</p>;

it('shows what its surroundings say until its file is there, which is asked for once', async () => {
  const load = vi.fn(() => Promise.resolve({ default: Greeting }));
  const Late = onDemand(load);
  const page = (
    <Guarded name="The greeting" loading={<i>one moment</i>}>
      <Late name="you" />
      <Late name="me" />
    </Guarded>
  );
  expect(load).not.toHaveBeenCalled();
  expect(htmlOf(page)).toBe('<i>one moment</i><i>one moment</i>');
  await Promise.resolve();
  expect(htmlOf(page)).toBe('<p>Good day, you</p><p>Good day, me</p>');
  expect(load).toHaveBeenCalledOnce();
});

it('is there at once where it was prepared for', async () => {
  const Late = onDemand(() => Promise.resolve({ default: Greeting }));
  Late.prepare();
  await Promise.resolve();
  expect(htmlOf(<Late name="you" />)).toBe('<p>Good day, you</p>');
});

it('throws where it is drawn what kept its file away, and does not ask again', async () => {
  const load = vi.fn(() =>
    Promise.reject(new Error('Failed to fetch dynamically imported module')),
  );
  const Late = onDemand(load);
  expect(htmlOf(<Late />)).toBe('');
  await Promise.resolve();
  for (let time = 0; time < 2; time++)
    expect(() => htmlOf(<Late />)).toThrow('Failed to fetch dynamically imported module');
  expect(load).toHaveBeenCalledOnce();
});
