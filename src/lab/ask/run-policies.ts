import type { RouterWeights } from '../../agent/router/network.ts';
import type { Policy } from '../../policy/policy.ts';
import type { SettingsOverride } from '../../recipes/parts/settings.ts';
import type { PolicyRef } from '../../records/setup.ts';
import type { PolicyChoice, DeviceChoice } from '../contract/settings.ts';
import { findPolicy, OpenPolicy, type PolicyParts } from '../models/serving/find-policy.ts';

/** The policies that one run of Ask is made with. */

export interface RunPolicy {
  policy: Policy;
  /** Run and step of the adapter that it carries, for the record. */
  adapter?: string;
  /** What the run's router learned. */
  router?: RouterWeights;
}

/** The page's own policy, which the run that ended leaves as it was. */
interface PagePolicy {
  ref: PolicyRef;
  policy: Policy;
}

/** The page's own policy where that is asked for, with an adapter or without; others beside it, one at a time. */
export class RunPolicies {
  readonly #parts: PolicyParts;
  readonly #device: DeviceChoice;
  readonly #own: PagePolicy;
  readonly #apart: OpenPolicy;
  readonly #lost: (reason: unknown) => void;
  #adapted = false;

  /** @param lost told when a policy beside the page's own ended without being asked to */
  constructor(
    parts: PolicyParts,
    device: DeviceChoice,
    own: PagePolicy,
    lost: (reason: unknown) => void,
  ) {
    this.#parts = parts;
    this.#device = device;
    this.#own = own;
    this.#apart = new OpenPolicy(parts.openApart);
    this.#lost = lost;
  }

  /** @throws Error where it cannot be opened, or its run or snapshot is not here */
  async get(asked: PolicyChoice | undefined): Promise<RunPolicy> {
    if (!asked) return this.#ownWith(null);
    const found = await findPolicy(asked, this.#device, this.#parts);
    const more = {
      ...(asked.kind === 'run' && { adapter: found.key }),
      ...(found.router && { router: found.router }),
    };
    if (JSON.stringify(found.ref) === JSON.stringify(this.#own.ref))
      return { ...(await this.#ownWith(found.adapter)), ...more };
    const { policy, lost } = await this.#apart.get(found, this.#device);
    lost.addEventListener('abort', () => this.#lost(lost.reason), { once: true });
    return { policy, ...more };
  }

  /**
   * What the run of an adapter set of its recipe, such as passages per search: an adapter works best as it was trained.
   * Nothing without an adapter, or with another recipe.
   * @throws Error where the run is not here
   */
  async trainedWith(asked: PolicyChoice | undefined, recipe: string): Promise<SettingsOverride> {
    if (asked?.kind !== 'run') return {};
    const { settings } = await this.#parts.runs.run(asked.run);
    return settings.recipe === recipe ? settings.overrides : {};
  }

  async #ownWith(adapter: Parameters<NonNullable<Policy['setAdapter']>>[0]): Promise<RunPolicy> {
    const { policy } = this.#own;
    if (adapter && !policy.setAdapter)
      throw new Error('This model cannot use an adapter, because it runs on another engine.');
    if (adapter || this.#adapted) await policy.setAdapter?.(adapter);
    this.#adapted = adapter !== null;
    return { policy };
  }

  /** Ends what was opened beside the page's policy, and leaves that as it was. Never rejects. */
  async end(): Promise<void> {
    this.#apart.end();
    // A worker that is gone carries no adapter either.
    await this.#ownWith(null).catch(() => undefined);
  }
}
