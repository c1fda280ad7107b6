import type { Policy } from '../../policy/policy.ts';

/** Lets the checkpoint itself speak. @param restore gives the policy its adapter again, whatever happened */
export async function withoutAdapter<T>(
  policy: Policy,
  work: () => Promise<T>,
  restore: () => Promise<void>,
): Promise<T> {
  await policy.setAdapter?.(null);
  try {
    return await work();
  } finally {
    await restore();
  }
}
