import { Link } from 'wouter';

/** Warning: the built-in policy was trained only on the built-in world. */
export const BuiltInReader = () => (
  <p className="note" data-testid="built-in-reader">
    ⚠ The built-in model knows only the built-in world and will rarely answer your questions
    correctly. Choose a general model on <Link href="/models">Models</Link>, or train it on your
    questions under <Link href="/train">Train</Link>.
  </p>
);
