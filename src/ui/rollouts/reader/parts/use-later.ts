import { useEffect, useState } from 'react';

/**
 * Computes a value in its own task, so that several expensive ones do not block. Until then the last
 * one of the same subject; null without one.
 * @param make is used as it is when its identity changes
 */
export const useLater = <T>(subject: unknown, make: () => T): T | null => {
  const [made, setMade] = useState<{ subject: unknown; value: T } | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setMade({ subject, value: make() }));
    return () => clearTimeout(timer);
  }, [subject, make]);
  return made && made.subject === subject ? made.value : null;
};
