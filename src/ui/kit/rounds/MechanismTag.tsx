import { MECHANISMS, type MechanismId } from './round-words.ts';
import './rounds.css';

/** A mechanism by name, in its colour. */
export const MechanismTag = ({ id }: { id: MechanismId }) => (
  <span className={`mechanism of-${id}`} title={`${MECHANISMS[id].name}: ${MECHANISMS[id].does}`}>
    {MECHANISMS[id].name}
  </span>
);
