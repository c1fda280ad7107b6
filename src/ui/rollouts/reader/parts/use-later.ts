import { useEffect, useState } from 'react';

/**
 * A value that is made in a task of its own, so that making several long ones does not hold the page.
 * Until it is there, the last one of the same subject; null where there is none.
 * @param make is taken as it is when its identity changes
 */
export const useLater = <T>(subject: unknown, make: () => T): T | null => {
  const [made, setMade] = useState<{ subject: unknown; value: T } | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setMade({ subject, value: make() }));
    return () => clearTimeout(timer);
  }, [subject, make]);
  return made && made.subject === subject ? made.value : null;
};
