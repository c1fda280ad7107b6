import { Button } from '@mantine/core';
import { Link } from 'wouter';
import type { PolicyRef } from '../../../records/setup.ts';
import { ASK } from '../../ask/store/permalink.ts';
import { useSetup } from '../../setup/setup-store.ts';
import { NEW_RUN } from '../../train/store/train-address.ts';

/** The built-in policy has no id. */
const same = (a: PolicyRef, b: PolicyRef): boolean =>
  a.kind === b.kind && ('id' in a ? a.id : null) === ('id' in b ? b.id : null);

/** Chooses it for the next run; if chosen, offers the built-in model. */
export const UseAsPolicy = (props: {
  policy: PolicyRef;
  name: string;
  use: (policy: PolicyRef) => void;
}) => {
  const { policy, name, use } = props;
  const chosen = useSetup(({ setup }) => setup.policy);
  if (same(chosen, policy))
    return (
      <>
        <span className="badge good">in use</span>
        {policy.kind === 'built-in' ? null : (
          <button type="button" className="link" onClick={() => use({ kind: 'built-in' })}>
            Back to the built-in model
          </button>
        )}
      </>
    );
  return (
    <Button size="compact-xs" aria-label={`Use ${name}`} onClick={() => use(policy)}>
      Use
    </Button>
  );
};

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
