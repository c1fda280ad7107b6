import type { Setup } from '../../../records/setup.ts';
import { revisionOf } from '../../../lab/models/checkpoints/plan/revision.ts';
import { refreshCheckpoints } from '../../models/store/checkpoint-actions.ts';
import { useModels } from '../../models/store/models-store.ts';
import { readCollections } from '../../corpus/store/collections-actions.ts';
import { useCollections } from '../../corpus/store/collections-store.ts';
import {
  describeSetup,
  formatLink,
  resolveSetup,
  type DeviceLists,
  type LinkSetup,
} from './link-setup.ts';
import { useAsk, type LinkedSetup } from './ask-store.ts';
import { useSetup } from '../../setup/setup-store.ts';

/**
 * Compares the setup of the address with the one chosen here. If they differ, nothing runs before the
 * user decided which one counts.
 */

/** An address without a question, and a device with only built-in parts, need no comparison. */
const firstStatus = (): LinkedSetup['status'] => {
  const { asked, setup: link } = useAsk.getState().address;
  const linked = formatLink(link) !== '';
  if (!asked && !linked) return 'same';
  return linked || needsLists(useSetup.getState().setup, {}) || !builtIn() ? 'checking' : 'same';
};

const builtIn = (): boolean =>
  formatLink(describeSetup(useSetup.getState().setup, listsNow())) === '';

const listsNow = (): DeviceLists => ({
  collections: useCollections.getState().collections,
  checkpoints: useModels.getState().checkpoints.map(({ id, name, files }) => ({
    id,
    name,
    revision: revisionOf(files.map((file) => ({ ...file, done: file.doneBytes }))),
  })),
  resources: useSetup.getState().resources,
});

/** Whether stored names must be looked up. */
function needsLists(setup: Setup, link: LinkSetup): boolean {
  const { policy, local, questions, summarizer, judge } = setup;
  const models = [
    policy,
    ...[summarizer, judge].flatMap((h) => (h.kind === 'model' ? [h.policy] : [])),
  ];
  const linked = [link.policy, link.judge, link.summarizer];
  return (
    local.kind === 'collections' ||
    questions.kind === 'collections' ||
    models.some(({ kind }) => kind === 'checkpoint') ||
    link.local !== undefined ||
    link.questions !== undefined ||
    linked.some((one) => typeof one === 'object' && one.k === 'checkpoint')
  );
}

const listsRead = (): boolean =>
  useCollections.getState().status !== 'waiting' && useModels.getState().status !== 'waiting';

const linkedNow = (): LinkedSetup => useAsk.getState().linkedSetup;

const change = (part: Partial<LinkedSetup>): void =>
  useAsk.setState(({ linkedSetup }) => ({ linkedSetup: { ...linkedSetup, ...part } }));

change({ status: firstStatus() });

/**
 * Compares again.
 * @returns whether the address matches the choice here
 */
export const checkLinkedSetup = async (): Promise<boolean> => {
  const { setup: link, asked } = useAsk.getState().address;
  const own = useSetup.getState().setup;
  if (!asked && formatLink(link) === '') return settle();
  if (needsLists(own, link)) {
    change({ status: 'checking' });
    if (!listsRead()) await Promise.all([readCollections(), refreshCheckpoints()]);
  }
  return compare();
};

const settle = (): true => {
  change({ status: 'same', missing: [] });
  follow();
  return true;
};

const compare = (): boolean => {
  const { setup: link } = useAsk.getState().address;
  const lists = listsNow();
  const setup = useSetup.getState().setup;
  const own = describeSetup(setup, lists);
  if (formatLink(own) === formatLink(link)) return settle();
  const { missing } = resolveSetup(link, lists, setup);
  change({ status: 'differs', own, missing });
  return false;
};

/** Writes the choice here into the address. */
const follow = (): void => {
  if (linkedNow().status !== 'same') return;
  const { setup } = useSetup.getState();
  if (needsLists(setup, {}) && !listsRead()) return;
  const link = describeSetup(setup, listsNow());
  const { address, setAddress } = useAsk.getState();
  if (formatLink(link) !== formatLink(address.setup)) setAddress({ setup: link });
};

/** Uses the setup of the address, as far as this device has it. */
export const takeLinkedSetup = (): void => {
  const { setup: link } = useAsk.getState().address;
  const { setup } = resolveSetup(link, listsNow(), useSetup.getState().setup);
  useSetup.setState({ setup });
  settle();
};

/** Keeps the setup chosen here. */
export const keepOwnSetup = (): void => {
  settle();
};

useSetup.subscribe(({ setup }, before) => {
  // Decided by hand until the two are the same.
  if (setup !== before.setup && linkedNow().status === 'differs') compare();
  else follow();
});
useCollections.subscribe(follow);
useModels.subscribe(({ status, checkpoints }, before) => {
  if (status !== before.status || checkpoints !== before.checkpoints) follow();
});
// Starting a run while the two differ decides for this device's setup.
useAsk.subscribe(({ request }, before) => {
  if (request !== before.request && linkedNow().status === 'differs') keepOwnSetup();
});
