import { Link } from 'wouter';

/** The built-in policy was trained on the built-in world alone; what it makes of anything else is said beforehand. */
export const BuiltInReader = () => (
  <p className="note" data-testid="built-in-reader">
    ⚠ The built-in policy has read the built-in world alone. It searches passages of your own, and
    may answer none of your questions right. Choose one that reads English on{' '}
    <Link href="/models">Models</Link>, or train it on your questions under{' '}
    <Link href="/train">Train</Link>.
  </p>
);
