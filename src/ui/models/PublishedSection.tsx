import { Button } from '@mantine/core';
import type { CheckpointView } from '../../lab/contract/checkpoints.ts';
import { parsePolicyConfig } from '../../policy/checkpoint/config.ts';
import { parameterCount } from '../../policy/checkpoint/weights.ts';
import { storedBytes } from '../../policy/open/fit-here.ts';
import { PUBLISHED, type PublishedCheckpoint } from '../../policy/open/published.ts';
import type { PolicyRef } from '../../records/setup.ts';
import { formatBytes, formatParameters } from '../kit/words/format.ts';
import { useStorageUse } from '../lab/storage.ts';
import { choosePolicy } from '../setup/setup-store.ts';
import { FitLine } from './fit/FitLine.tsx';
import { useFit } from './fit/use-fit.ts';
import { LookResult } from './LookResult.tsx';
import { storedHub } from './parts/hub.ts';
import { UseAsPolicy } from './parts/UseAsPolicy.tsx';
import { lookNamed } from './store/checkpoint-actions.ts';
import { useModels } from './store/models-store.ts';
import { Terms } from '../kit/words/explain/Term.tsx';

/** Published checkpoints by size, with their needs, without a request to the hub. */

/** Whether a checkpoint came from this repository, at any revision. */
const isOf =
  (repository: string) =>
  ({ source }: CheckpointView): boolean =>
    source.kind === 'hub' && source.repository === repository;

/** Parameters and disk size, known without requests. */
const factsOf = ({ config }: PublishedCheckpoint) => ({
  parameters: parameterCount(parsePolicyConfig(config)),
  bytes: storedBytes(config),
});

/** Computed once, because the list is constant. */
const FACTS = new Map(PUBLISHED.map((one) => [one.repository, factsOf(one)]));

/** Whether the quota has room; a note only if not. */
const NoRoom = ({ bytes, freeBytes }: { bytes: number | null; freeBytes: number | null }) =>
  bytes === null || freeBytes === null || bytes <= freeBytes ? null : (
    <p className="fit-verdict">
      <span className="badge bad">
        not enough disk: {formatBytes(freeBytes)} left for this site
      </span>
    </p>
  );

/** The action: use a downloaded one, or preview the download. */
const Action = ({
  published: { repository, config, gated },
  use,
}: {
  published: PublishedCheckpoint;
  use: (policy: PolicyRef) => void;
}) => {
  const stored = useModels(({ checkpoints }) => checkpoints.find(isOf(repository)));
  const looked = useModels(({ look, lookFor }) => look.status !== 'none' && lookFor === repository);
  const counted = useFit({ config });
  if (stored?.state === 'ready')
    return (
      <UseAsPolicy policy={{ kind: 'checkpoint', id: stored.id }} name={repository} use={use} />
    );
  if (stored) return <span className="fine">Downloading; see Models on this device.</span>;
  // Its preview is below, with the download button.
  if (looked) return null;
  const look = () => void lookNamed(repository, storedHub(), repository);
  const fits = counted?.fit?.verdict.kind === 'fits';
  return (
    <>
      {fits ? (
        <Button size="compact-xs" aria-label={`Download ${repository}`} onClick={look}>
          Download …
        </Button>
      ) : (
        <button
          type="button"
          className="link"
          aria-label={`Download ${repository} anyway`}
          onClick={look}
        >
          Download anyway …
        </button>
      )}
      {gated ? (
        <span className="fine">
          gated: accept the licence on the hub, then enter a token under “Hub”
        </span>
      ) : null}
    </>
  );
};

/** A published checkpoint with its needs; its preview opens in the card. */
const Card = (props: {
  published: PublishedCheckpoint;
  freeBytes: number | null;
  use: (policy: PolicyRef) => void;
}) => {
  const { repository, kind, about, config } = props.published;
  const { parameters, bytes } = FACTS.get(repository) ?? factsOf(props.published);
  const [owner = '', name = repository] = repository.split('/');
  const opened = useModels(
    ({ look, lookFor }) => look.status === 'ready' && lookFor === repository,
  );
  return (
    <li
      className={opened ? 'panel checkpoint-card opened' : 'panel checkpoint-card'}
      data-published={repository}
    >
      <div className="checkpoint-title">
        <h3>{name}</h3>
        {kind === 'policy' ? <span className="badge">searches</span> : null}
      </div>
      <p className="fine">
        <Terms>{about}</Terms> · {owner} · {formatParameters(parameters)} parameters ·{' '}
        {bytes === null
          ? 'size on disk unknown until its files are listed'
          : `≈ ${formatBytes(bytes)} on disk`}
      </p>
      <FitLine question={{ config }} types />
      <NoRoom bytes={bytes} freeBytes={props.freeBytes} />
      <div className="checkpoint-actions">
        <Action {...props} />
      </div>
      <LookResult card={repository} />
    </li>
  );
};

/**
 * Checkpoints to download.
 * @param use called for a downloaded one; by default it is chosen for the next run
 */
export const PublishedSection = ({ use = choosePolicy }: { use?: (policy: PolicyRef) => void }) => {
  const storage = useStorageUse();
  const freeBytes = storage && Math.max(0, storage.quotaBytes - storage.usedBytes);
  return (
    <section className="cards-section" aria-labelledby="published">
      <div className="section-line">
        <h2 id="published">Suggested models, smallest first</h2>
      </div>
      <p className="fine">
        Sizes are computed from the published configurations. “Download” lists the files with exact
        sizes first; nothing is requested from the hub before that.
      </p>
      <ul className="checkpoints">
        {PUBLISHED.map((published) => (
          <Card key={published.repository} published={published} freeBytes={freeBytes} use={use} />
        ))}
      </ul>
    </section>
  );
};
