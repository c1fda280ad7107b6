import { Link } from 'wouter';
import type { PolicyRef } from '../../../records/setup.ts';
import { ASK } from '../../ask/store/permalink.ts';
import { NEW_RUN } from '../../train/store/train-address.ts';

/** The two things that a model is for, each a click away. */
export const CardLinks = (props: {
  policy: PolicyRef;
  /** As part of a sentence: "the built-in model". */
  name: string;
  use: (policy: PolicyRef) => void;
}) => {
  const { policy, name, use } = props;
  return (
    <>
      <Link href={ASK} aria-label={`Ask with ${name}`} onClick={() => use(policy)}>
        Ask with it
      </Link>
      <Link href={NEW_RUN} aria-label={`Train ${name}`} onClick={() => use(policy)}>
        Train it
      </Link>
    </>
  );
};
