import { useEffect, useState } from 'react';
import { messageOf } from '../../../base/errors.ts';
import { createTurns } from '../../../base/turns.ts';
import { fitHere, type HereFit, type HereQuestion } from '../../../policy/open/fit-here.ts';
import { useDeviceLimits } from './device-limits.ts';
import type { DeviceView } from '../../../lab/models/serving/device-limits.ts';

/** Needs of a checkpoint; null until computed. */
export type Counted =
  | { fit: HereFit; limits: DeviceView; problem: null }
  | { fit: null; problem: string }
  | null;

/** Cached by shape. */
const known = new Map<string, Counted>();

/** One after another with yields in between, because each takes milliseconds. */
let before: Promise<unknown> = Promise.resolve();

const count = (key: string, question: HereQuestion, limits: DeviceView): Promise<Counted> => {
  const counted = before.then(async (): Promise<Counted> => {
    const found = known.get(key);
    if (found) return found;
    const made = await fitHere(question, limits, limits.gpu, createTurns()).then(
      (fit): Counted => ({ fit, limits, problem: null }),
      (error: unknown): Counted => ({ fit: null, problem: messageOf(error) }),
    );
    known.set(key, made);
    return made;
  });
  before = counted;
  return counted;
};

/** Computes what a checkpoint needs on this device. */
export const useFit = ({ config, weights, keys, gguf }: HereQuestion): Counted => {
  const limits = useDeviceLimits();
  const key = JSON.stringify([config, weights, keys, gguf]);
  const [counted, setCounted] = useState<{ key: string; value: Counted } | null>(null);
  useEffect(() => {
    if (!limits) return undefined;
    let live = true;
    void count(key, { config, weights, keys, gguf }, limits).then((value) => {
      if (live) setCounted({ key, value });
    });
    return () => {
      live = false;
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the key says what is asked
  }, [key, limits]);
  return counted?.key === key ? counted.value : (known.get(key) ?? null);
};
