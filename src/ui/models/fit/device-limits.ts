import { useEffect, useState } from 'react';
import { deviceLimits, type DeviceView } from '../../../lab/models/serving/device-limits.ts';

/** Requested once per page. */
let asked: Promise<DeviceView> | null = null;

/** Null until the browser has answered. */
export const useDeviceLimits = (): DeviceView | null => {
  const [view, setView] = useState<DeviceView | null>(null);
  useEffect(() => {
    let live = true;
    asked ??= deviceLimits('auto', navigator);
    void asked.then((answer) => {
      if (live) setView(answer);
    });
    return () => {
      live = false;
    };
  }, []);
  return view;
};
