import { Link } from 'wouter';

/** The built-in policy was trained on the built-in world alone; what it makes of anything else is said beforehand. */
export const BuiltInReader = () => (
  <p className="note" data-testid="built-in-reader">
    ⚠ The built-in model knows only the built-in world and will rarely answer your questions
    correctly. Choose a general model on <Link href="/models">Models</Link>, or train it on your
    questions under <Link href="/train">Train</Link>.
  </p>
);
